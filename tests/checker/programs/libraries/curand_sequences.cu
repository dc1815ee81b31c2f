// cuRAND: numbers of MRG32k3a and of generators for the host in a GPU's order, and Sobol sequences. What is expected comes from the
// toolkit's own library, which makes them on a CPU, too.
#include <curand.h>
#include <curand_kernel.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

static int failures = 0;
#define EXPECT(CONDITION) \
  if (!(CONDITION)) ++failures, std::printf("line %d: %s\n", __LINE__, #CONDITION)
#define CALL(WHAT) EXPECT((WHAT) == CURAND_STATUS_SUCCESS)

struct known {
  unsigned long long seed, sequence, offset;
  unsigned bits[3];
  float uniform, normal;
  double uniform_double, normal_double;
};
static const known mrg32k3a[] = {
    {1234ull, 0ull, 0ull, {3379073520u, 2521876100u, 213678209u}, 0.373551488f, -0.156125754f, 0.39992936201981194, 0.59618034235907436},
    {12379813738877118345ull, 0ull, 0ull, {2609238306u, 2031768829u, 2636491044u}, 0.820360303f, -1.08736515f, 0.34656146248601044, -0.75849711083390037},
    {1234ull, 0ull, 5ull, {4200718073u, 1717683530u, 3440381920u}, 0.323588669f, 0.350855649f, 0.5672324485032777, 1.2780666748105993},
    {1234ull, 0ull, 1000000007ull, {2479215352u, 2266086691u, 1772652523u}, 0.0899750367f, 1.07616878f, 0.82916135929867729, -1.264294746417346},
    {1234ull, 1ull, 0ull, {653317650u, 2890950871u, 2749090064u}, 0.561128855f, -0.0414872095f, 0.38535286382277234, 1.419366358787203},
    {12379813738877118345ull, 1ull, 0ull, {1409849333u, 3773391717u, 1739917348u}, 0.301951408f, 2.12142563f, 0.099726326959860126, -0.15081702021590113},
    {1234ull, 1ull, 5ull, {2170368389u, 1655077947u, 420608390u}, 0.114389196f, 2.56636691f, 0.30870180286436272, -1.0330987102164444},
    {1234ull, 1ull, 1000000007ull, {82694961u, 972795876u, 2540820345u}, 0.00251383497f, 0.500591755f, 0.91813386531779029, -0.74218203586779874},
    {1234ull, 12345678901ull, 0ull, {4254379868u, 1742100978u, 1328449660u}, 0.445688993f, -0.501244307f, 0.52330879410066133, 0.31773460790180708},
    {12379813738877118345ull, 12345678901ull, 0ull, {2439947035u, 1727458299u, 514832178u}, 0.118115276f, 1.19604731f, 0.89335420534737153, -1.7090433305880672},
    {1234ull, 12345678901ull, 5ull, {3734675725u, 2247594156u, 1878985114u}, 0.0397387743f, 0.236769482f, 0.13173341879907172, 0.80831466921105244},
    {1234ull, 12345678901ull, 1000000007ull, {71599183u, 906422785u, 2304174111u}, 0.0328822657f, 0.319333464f, 0.78244716267368231, -1.0006203422041919},
};
__global__ void draws(known* all, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  known& k = all[i];
  curandStateMRG32k3a state, skipped;
  curand_init(k.seed, k.sequence, k.offset, &state);
  for (unsigned& bits : k.bits) bits = curand(&state);
  k.uniform = curand_uniform(&state);
  k.normal = curand_normal(&state);
  k.uniform_double = curand_uniform_double(&state);
  k.normal_double = curand_normal_double(&state);
  curand_init(k.seed, 0, 0, &skipped);
  skipahead_subsequence(k.sequence, &skipped);
  skipahead(k.offset, &skipped);
  if (curand(&skipped) != k.bits[0]) k.uniform = -1;
}
static void in_kernels() {
  constexpr int n = sizeof mrg32k3a / sizeof mrg32k3a[0];
  std::vector<known> asked(mrg32k3a, mrg32k3a + n);
  for (known& k : asked) k = {k.seed, k.sequence, k.offset, {}, 0, 0, 0, 0};
  known* on_device;
  cudaMalloc(&on_device, sizeof mrg32k3a);
  cudaMemcpy(on_device, asked.data(), sizeof mrg32k3a, cudaMemcpyHostToDevice);
  draws<<<1, 32>>>(on_device, n);
  cudaMemcpy(asked.data(), on_device, sizeof mrg32k3a, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) {
    const known &got = asked[i], &right = mrg32k3a[i];
    EXPECT(std::memcmp(got.bits, right.bits, sizeof got.bits) == 0);
    EXPECT(got.uniform == right.uniform && got.uniform_double == right.uniform_double);
    EXPECT(std::fabs(got.normal - right.normal) < 1e-5f);
    EXPECT(std::fabs(got.normal_double - right.normal_double) < 1e-12);
  }
  cudaFree(on_device);
}

// Words, uniform floats and doubles, normal floats, log-normal doubles.
static std::vector<double> numbers(curandGenerator_t g, int kind, size_t n, float mean = 0, float deviation = 1) {
  std::vector<double> result(n);
  const auto filled = [&](auto element, auto call) {
    std::vector<decltype(element)> own(n);
    decltype(element)* to;
    cudaMalloc(&to, n * sizeof element);
    EXPECT(call(to) == CURAND_STATUS_SUCCESS);
    cudaMemcpy(own.data(), to, n * sizeof element, cudaMemcpyDeviceToHost);
    cudaFree(to);
    for (size_t i = 0; i < n; ++i) result[i] = static_cast<double>(own[i]);
  };
  if (kind == 0) filled(0u, [&](unsigned* to) { return curandGenerate(g, to, n); });
  if (kind == 1) filled(0.0f, [&](float* to) { return curandGenerateUniform(g, to, n); });
  if (kind == 2) filled(0.0, [&](double* to) { return curandGenerateUniformDouble(g, to, n); });
  if (kind == 3) filled(0.0f, [&](float* to) { return curandGenerateNormal(g, to, n, mean, deviation); });
  if (kind == 4) filled(0.0, [&](double* to) { return curandGenerateLogNormalDouble(g, to, n, mean, deviation); });
  if (kind == 5) filled(0.0, [&](double* to) { return curandGenerateNormalDouble(g, to, n, mean, deviation); });
  if (kind == 6) filled(0ull, [&](unsigned long long* to) { return curandGenerateLongLong(g, to, n); });
  return result;
}
static bool near(double a, double b) { return std::fabs(a - b) <= 2e-6 * std::fabs(b) + 1e-6; }

// Of 400000 numbers, after 100002 that were asked for before them.
constexpr int places[] = {0, 1, 4095, 4096, 81921, 100001, 100002, 100003, 262147, 399999};
struct in_order {
  curandRngType_t type;
  curandOrdering_t ordering;
  unsigned long long offset;
  int kind;
  double numbers[10];
};
static const in_order orders[] = {
    {CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_DEFAULT, 0ull, 0, {624778773, 3522650202, 3856448218, 1867875844, 569481769, 291849142, 1522794931, 514402740, 4170458970, 2628187419}},
    {CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_DEFAULT, 0ull, 1, {0.14546763896942139, 0.82018089294433594, 0.897899329662323, 0.4348987340927124, 0.1325928121805191, 0.067951425909996033, 0.35455331206321716, 0.11976872384548187, 0.97101062536239624, 0.61192256212234497}},
    {CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_DEFAULT, 0ull, 2, {0.43489880438841294, 0.92641692020243771, 0.98820661192243198, 0.45516523048612917, 0.48674313477699643, 0.48191226206080845, 0.62200809817529823, 0.78008692091122778, 0.31187037389631694, 0.12170784875547996}},
    {CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_DEFAULT, 0ull, 3, {0.78097355365753174, -1.801578164100647, 1.2974393367767334, 1.939026951789856, 0.34615069627761841, 3.0692784786224365, -0.63553297519683838, -0.12689560651779175, -0.32420957088470459, -0.32273185253143311}},
    {CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_DEFAULT, 0ull, 4, {1.4315242683800065, 0.28950216510492854, 1.2291876936442541, 4.2369782831089724, 2.3440354493963342, 0.34579040820765966, 0.83091624129882502, 2.062799431358544, 0.82155650899936816, 1.0457152850179621}},
    {CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_DEFAULT, 10007ull, 0, {1412540138, 12567890, 461405754, 58921780, 2777330687, 3817053976, 609414802, 1654664411, 1413394232, 3441817542}},
    {CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_DEFAULT, 10007ull, 1, {0.32888263463973999, 0.0029261899180710316, 0.10742940008640289, 0.013718795962631702, 0.64664769172668457, 0.88872712850570679, 0.14189043641090393, 0.38525658845901489, 0.32908147573471069, 0.8013606071472168}},
    {CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_DEFAULT, 10007ull, 2, {0.013718699466349904, 0.034369950181068198, 0.46989046829180064, 0.62091527174073535, 0.43752704887542132, 0.6425839865974885, 0.96307068228756254, 0.73097695369886284, 0.9035864332691057, 0.97672006048420634}},
    {CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_DEFAULT, 10007ull, 3, {0.12839141488075256, 1.4858076572418213, -2.1563692092895508, -0.19418713450431824, -0.62151855230331421, 1.0804110765457153, -0.51500558853149414, -0.22654560208320618, -0.26896330714225769, 0.9699777364730835}},
    {CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_DEFAULT, 10007ull, 4, {0.13303265577417317, 0.11961784086578391, 1.6087598381899222, 0.63658488843006622, 0.26203085172132823, 0.28481857121029364, 0.29413962439672098, 1.0521471377974336, 3.7149321408696561, 1.3605819850034111}},
    {CURAND_RNG_PSEUDO_MRG32K3A, CURAND_ORDERING_PSEUDO_DEFAULT, 0ull, 0, {3379073520, 653317650, 2824556536, 2648318237, 2890950871, 3743797821, 190971372, 936622745, 1685852189, 3023638496}},
    {CURAND_RNG_PSEUDO_MRG32K3A, CURAND_ORDERING_PSEUDO_DEFAULT, 0ull, 1, {0.78675186634063721, 0.15211236476898193, 0.65764331817626953, 0.61660963296890259, 0.67310196161270142, 0.87167084217071533, 0.044463988393545151, 0.21807447075843811, 0.39251804351806641, 0.70399570465087891}},
    {CURAND_RNG_PSEUDO_MRG32K3A, CURAND_ORDERING_PSEUDO_DEFAULT, 0ull, 2, {0.78675186271572939, 0.15211236914421553, 0.65764331641780527, 0.6166096399238834, 0.67310195222457592, 0.87167085641511, 0.044463987530435761, 0.21807447671367919, 0.39251805027860043, 0.70399569723175393}},
    {CURAND_RNG_PSEUDO_MRG32K3A, CURAND_ORDERING_PSEUDO_DEFAULT, 0ull, 3, {-0.36065378785133362, -0.59128129482269287, 1.3008595705032349, 0.045220714062452316, -0.61106336116790771, 1.4924733638763428, -0.59925001859664917, -0.40941080451011658, 0.53384524583816528, -0.59497904777526855}},
    {CURAND_RNG_PSEUDO_MRG32K3A, CURAND_ORDERING_PSEUDO_DEFAULT, 0ull, 4, {0.69722044166300523, 0.55361742258483726, 3.6724522731137488, 1.0462587582055427, 0.54277339336003205, 4.4480839106907712, 0.54922343942153307, 0.66404131204753414, 1.7054776830198646, 0.55157414974744168}},
    {CURAND_RNG_PSEUDO_MRG32K3A, CURAND_ORDERING_PSEUDO_LEGACY, 10007ull, 0, {644470962, 3092027681, 2234923789, 2865466676, 1543974290, 1835206179, 1765236645, 891932976, 150819612, 4021055966}},
    {CURAND_RNG_PSEUDO_MRG32K3A, CURAND_ORDERING_PSEUDO_LEGACY, 10007ull, 1, {0.15005259215831757, 0.71991878747940063, 0.52035874128341675, 0.66716843843460083, 0.35948452353477478, 0.42729222774505615, 0.41100117564201355, 0.20766933262348175, 0.035115428268909454, 0.93622505664825439}},
    {CURAND_RNG_PSEUDO_MRG32K3A, CURAND_ORDERING_PSEUDO_LEGACY, 10007ull, 2, {0.15005258898273835, 0.71991879527061908, 0.52035874448599706, 0.66716845064382213, 0.35948452775652207, 0.42729223596492721, 0.41100118446611977, 0.20766932899199655, 0.035115427416545421, 0.93622504888825009}},
    {CURAND_RNG_PSEUDO_MRG32K3A, CURAND_ORDERING_PSEUDO_LEGACY, 10007ull, 3, {-1.6898205280303955, -0.96852731704711914, -0.26928135752677917, -0.32564124464988708, -0.52630752325057983, 0.23425881564617157, 0.36301535367965698, -0.36056339740753174, 0.20340637862682343, -1.7324559688568115}},
    {CURAND_RNG_PSEUDO_MRG32K3A, CURAND_ORDERING_PSEUDO_LEGACY, 10007ull, 4, {0.18455265709411567, 0.37964160431940114, 0.76392830695752056, 0.72206426189324191, 0.59078240945798044, 1.2639714270150377, 1.4376580346104473, 0.69728334430017469, 1.2255703696116194, 0.1768495895471589}},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_ORDERING_PSEUDO_DEFAULT, 0ull, 0, {546353992, 3665621163, 984438016, 2053518784, 1716639886, 188898380, 2088682301, 2800126015, 343858512, 3369657303}},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_ORDERING_PSEUDO_DEFAULT, 0ull, 1, {0.12720794975757599, 0.85346895456314087, 0.22920733690261841, 0.47812211513519287, 0.39968636631965637, 0.043981332331895828, 0.4863092303276062, 0.65195512771606445, 0.080060794949531555, 0.78455948829650879}},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_ORDERING_PSEUDO_DEFAULT, 0ull, 2, {0.85346899543001431, 0.79605514883270523, 0.80878207458661233, 0.21564764650400298, 0.36855927863761534, 0.65195535797656823, 0.74829133413717885, 0.63481453861298087, 0.90814523594950192, 0.46439938899152094}},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_ORDERING_PSEUDO_DEFAULT, 0ull, 3, {-1.6164904832839966, 1.229155421257019, 0.074200324714183807, 1.1866277456283569, -0.61032795906066895, 1.2141311168670654, -0.98003083467483521, -0.6938016414642334, 0.18831723928451538, 0.29188075661659241}},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_ORDERING_PSEUDO_DEFAULT, 0ull, 4, {0.58302413478982917, 1.1742543453401924, 1.1072485453602097, 0.22750038878873532, 0.39927197801119135, 0.23591833046628763, 0.5651614789623387, 0.60394436536750273, 5.2764854170320383, 0.40289682313205955}},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_ORDERING_PSEUDO_DEFAULT, 10007ull, 0, {1709227075, 2744005973, 3779545384, 3287220975, 3358410253, 1451653028, 184799202, 3026510138, 1328738087, 2855675251}},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_ORDERING_PSEUDO_DEFAULT, 10007ull, 1, {0.39796045422554016, 0.6388886570930481, 0.8799939751625061, 0.76536577939987183, 0.78194081783294678, 0.33798930048942566, 0.043026916682720184, 0.70466428995132446, 0.30937093496322632, 0.66488867998123169}},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_ORDERING_PSEUDO_DEFAULT, 10007ull, 2, {0.15732185857478959, 0.60808412554767233, 0.56064795530570688, 0.17133948034241769, 0.0319295580067675, 0.043026765389858002, 0.88790264054026768, 0.12040190041242055, 0.91961071236762004, 0.97360788194031245}},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_ORDERING_PSEUDO_DEFAULT, 10007ull, 3, {-0.81388914585113525, -0.59456080198287964, -0.50329375267028809, 0.048742633312940598, 0.13977263867855072, 0.39336434006690979, 1.4194176197052002, -0.54178261756896973, -1.2176365852355957, -0.89171373844146729}},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_ORDERING_PSEUDO_DEFAULT, 10007ull, 4, {1.6513679291892349, 0.47936814081397477, 2.5780940521921751, 1.6658131813527477, 0.21197871330479492, 0.197065645759955, 6.7631344310660095, 2.6865968050405962, 0.66454993602039092, 1.032607878261526}},
};
static void in_a_gpus_order() {
  for (const in_order& each : orders) {
    curandGenerator_t g;
    CALL(curandCreateGenerator(&g, each.type));
    CALL(curandSetGeneratorOrdering(g, each.ordering));
    CALL(curandSetPseudoRandomGeneratorSeed(g, 1234));
    CALL(curandSetGeneratorOffset(g, each.offset));
    if (each.kind == 1) CALL(curandGenerateSeeds(g));
    std::vector<double> got = numbers(g, each.kind, 100002);
    const std::vector<double> others = numbers(g, each.kind, 299998);
    got.insert(got.end(), others.begin(), others.end());
    for (int i = 0; i < 10; ++i) {
      const double x = got[places[i]], right = each.numbers[i];
      EXPECT(each.kind < 3 ? x == right : near(x, right));
    }
    CALL(curandDestroyGenerator(g));
  }
}

// Of 5 dimensions with 100 points each, from point 177 on.
constexpr int points[] = {0, 99, 100, 250, 399, 499};
struct quasi {
  curandRngType_t type;
  int kind;
  double numbers[6];
};
static const quasi sobols[] = {
    {CURAND_RNG_QUASI_SOBOL32, 0, {2533359616, 2038431744, 3909091328, 3976200192, 58720256, 4018143232}},
    {CURAND_RNG_QUASI_SOBOL32, 1, {0.58984375, 0.474609375, 0.91015625, 0.92578125, 0.013671875, 0.935546875}},
    {CURAND_RNG_QUASI_SOBOL32, 2, {0.58984375023283064, 0.47460937523283064, 0.91015625023283064, 0.92578125023283064, 0.013671875232830644, 0.93554687523283064}},
    {CURAND_RNG_QUASI_SOBOL32, 3, {1.4542860984802246, 0.87262421846389771, 3.6834356784820557, 3.8901453018188477, -3.4131503105163574, 4.036858081817627}},
    {CURAND_RNG_QUASI_SOBOL32, 5, {1.454286125604302, 0.87262422673653894, 3.6834356835961297, 3.8901451612941487, -3.4131504264151769, 4.0368582841535599}},
    {CURAND_RNG_QUASI_SOBOL64, 6, {10880696699727118336, 8754997675608244224, 16789419410837209088, 17077649786988920832, 252201579132747776, 17257793772083740672}},
    {CURAND_RNG_QUASI_SOBOL64, 1, {0.58984375, 0.474609375, 0.91015625, 0.92578125, 0.013671875, 0.935546875}},
    {CURAND_RNG_QUASI_SOBOL64, 2, {0.58984375, 0.47460937500000006, 0.91015625, 0.92578125, 0.013671875000000056, 0.935546875}},
    {CURAND_RNG_QUASI_SOBOL64, 3, {1.4542860984802246, 0.87262421846389771, 3.6834356784820557, 3.8901453018188477, -3.4131503105163574, 4.036858081817627}},
    {CURAND_RNG_QUASI_SOBOL64, 5, {1.4542861250054311, 0.87262422615173452, 3.6834356821605088, 3.8901451596361496, -3.4131504330742555, 4.0368582823051842}},
};
// Two points of two dimensions, and the second one with a scramble.
__global__ void sobol(curandDirectionVectors32_t* of_32, curandDirectionVectors64_t* of_64, unsigned long long* x) {
  const int dimension = threadIdx.x;
  curandStateSobol32 a;
  curandStateSobol64 b;
  curandStateScrambledSobol32 c;
  curandStateScrambledSobol64 d;
  curand_init(of_32[dimension], 177u, &a);
  curand_init(of_64[dimension], 177ull, &b);
  curand_init(of_32[dimension], 12345u, 0u, &c);
  curand_init(of_64[dimension], 12345ull, 0ull, &d);
  skipahead(177u, &c);
  skipahead(177ull, &d);
  unsigned long long* const to = x + 5 * dimension;
  to[0] = curand(&a);
  to[1] = curand(&b);
  to[2] = curand(&c) ^ 12345u;
  to[3] = curand(&d) ^ 12345u;
  to[4] = curand_uniform(&a) == static_cast<float>(curand_uniform_double(&b));
}
static void sobols_in_order() {
  for (const quasi& each : sobols) {
    curandGenerator_t g;
    CALL(curandCreateGenerator(&g, each.type));
    CALL(curandSetQuasiRandomGeneratorDimensions(g, 5));
    CALL(curandSetGeneratorOrdering(g, CURAND_ORDERING_QUASI_DEFAULT));
    CALL(curandSetGeneratorOffset(g, 77));
    numbers(g, each.kind, 500, 1, 2);
    const std::vector<double> got = numbers(g, each.kind, 500, 1, 2);
    for (int i = 0; i < 6; ++i) {
      const double x = got[points[i]], right = each.numbers[i];
      EXPECT(each.kind == 3 || each.kind == 5 ? near(x, right) : x == right);
    }
    CALL(curandDestroyGenerator(g));
  }
}
template <class Word>
static Word mixed(const Word* words, int n, Word start, Word factor) {
  for (int i = 0; i < n; ++i) start = (start ^ words[i]) * factor;
  return start;
}
static void directions() {
  curandDirectionVectors32_t *of_32, *on_32;
  curandDirectionVectors64_t *of_64, *on_64;
  CALL(curandGetDirectionVectors32(&of_32, CURAND_DIRECTION_VECTORS_32_JOEKUO6));
  CALL(curandGetDirectionVectors64(&of_64, CURAND_DIRECTION_VECTORS_64_JOEKUO6));
  EXPECT(mixed(of_32[0], 481 * 32, 2166136261u, 16777619u) == 3759861024u);
  EXPECT(mixed(of_64[0], 481 * 64, 14695981039346656037ull, 1099511628211ull) == 15137860262846766946ull);
  unsigned long long *x, got[10];
  cudaMalloc(&on_32, 2 * sizeof *on_32);
  cudaMalloc(&on_64, 2 * sizeof *on_64);
  cudaMalloc(&x, sizeof got);
  cudaMemcpy(on_32, of_32, 2 * sizeof *on_32, cudaMemcpyHostToDevice);
  cudaMemcpy(on_64, of_64, 2 * sizeof *on_64, cudaMemcpyHostToDevice);
  sobol<<<1, 2>>>(on_32, on_64, x);
  cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost);
  // Points 177 of the tables above: the first numbers of dimensions 1 and 2.
  for (int dimension = 0; dimension < 2; ++dimension) {
    const unsigned long long* const of = got + 5 * dimension;
    EXPECT(of[0] == sobols[0].numbers[2 * dimension] && of[1] == sobols[5].numbers[2 * dimension]);
    EXPECT(of[0] == of[2] && of[1] == of[3] && of[4] == 1);
  }
  cudaFree(on_32);
  cudaFree(on_64);
  cudaFree(x);
}
static void statuses() {
  curandGenerator_t pseudo, quasi_32, quasi_64, on_host;
  unsigned words[6];
  unsigned long long longs[2];
  float floats[7];
  CALL(curandCreateGeneratorHost(&pseudo, CURAND_RNG_PSEUDO_DEFAULT));
  CALL(curandCreateGeneratorHost(&quasi_32, CURAND_RNG_QUASI_DEFAULT));
  CALL(curandCreateGeneratorHost(&quasi_64, CURAND_RNG_QUASI_SOBOL64));
  EXPECT(curandCreateGenerator(&on_host, static_cast<curandRngType_t>(7)) == CURAND_STATUS_TYPE_ERROR);
  EXPECT(curandSetPseudoRandomGeneratorSeed(quasi_32, 1) == CURAND_STATUS_TYPE_ERROR);
  EXPECT(curandSetQuasiRandomGeneratorDimensions(pseudo, 2) == CURAND_STATUS_TYPE_ERROR);
  EXPECT(curandSetQuasiRandomGeneratorDimensions(quasi_32, 0) == CURAND_STATUS_OUT_OF_RANGE);
  EXPECT(curandSetQuasiRandomGeneratorDimensions(quasi_32, 20001) == CURAND_STATUS_OUT_OF_RANGE);
  EXPECT(curandSetGeneratorOrdering(pseudo, CURAND_ORDERING_QUASI_DEFAULT) == CURAND_STATUS_OUT_OF_RANGE);
  EXPECT(curandSetGeneratorOrdering(quasi_32, CURAND_ORDERING_PSEUDO_DEFAULT) == CURAND_STATUS_OUT_OF_RANGE);
  EXPECT(curandGenerateLongLong(quasi_32, longs, 2) == CURAND_STATUS_TYPE_ERROR);
  EXPECT(curandGenerate(quasi_64, words, 2) == CURAND_STATUS_TYPE_ERROR);
  CALL(curandSetQuasiRandomGeneratorDimensions(quasi_32, 3));
  EXPECT(curandGenerate(quasi_32, words, 5) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  CALL(curandGenerate(quasi_32, words, 6));
  CALL(curandSetQuasiRandomGeneratorDimensions(quasi_32, 1));
  CALL(curandGenerateNormal(quasi_32, floats, 7, 0, 1));
  EXPECT(curandGenerateNormal(pseudo, floats, 7, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  for (curandGenerator_t each : {pseudo, quasi_32, quasi_64}) curandDestroyGenerator(each);
}

int main(int count, char** words) {
  const char* const mode = count > 1 ? words[1] : "";
  if (std::strcmp(mode, "overruns") == 0 || std::strcmp(mode, "many") == 0) {
    curandGenerator_t g;
    double* x;
    cudaMalloc(&x, 30 * sizeof *x);
    curandCreateGenerator(&g, CURAND_RNG_QUASI_SOBOL64);
    curandSetQuasiRandomGeneratorDimensions(g, std::strcmp(mode, "many") == 0 ? 500 : 3);
    curandGenerateUniformDouble(g, x, 33);  // @overruns
    return 0;
  }
  in_kernels();
  in_a_gpus_order();
  directions();
  sobols_in_order();
  statuses();
  std::printf("failures: %d\n", failures);
}

// program --schedules 1
// clean
// prints failures: 0
// program -- overruns
// finds out-of-bounds @overruns of x
// program -- many
// fails curandSetQuasiRandomGeneratorDimensions: 500 dimensions: more than 481 are not supported
