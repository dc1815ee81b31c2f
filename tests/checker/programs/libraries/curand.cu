// cuRAND: its numbers, which nvcc compiled for a CPU gave, and mistakes around its calls.
#include <curand.h>
#include <curand_kernel.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

static int failures = 0;
#define EXPECT(CONDITION) \
  if (!(CONDITION)) ++failures, std::printf("line %d: %s\n", __LINE__, #CONDITION)

// Three numbers of a sequence from an offset on, and what follows them as other types.
struct known {
  unsigned long long seed, sequence, offset;
  unsigned bits[3];
  float uniform, normal;
  double uniform_double, normal_double;
};
static const known xorwow[] = {
    {1234ull, 0ull, 0ull, {624778773u, 1867875844u, 3739671282u}, 0.455165118f, -0.27490738f, 0.78674536046458599, -1.311805409387784},
    {1234ull, 0ull, 5ull, {2501467243u, 865023039u, 3379045701u}, 0.30077213f, -0.657692313f, 0.50328356097466753, 0.53706387597362215},
    {1234ull, 0ull, 1000000007ull, {2726295299u, 2007518148u, 3703997277u}, 0.375851989f, 0.174441397f, 0.47738195775850073, -0.83280269281847608},
    {1234ull, 1ull, 0ull, {3522650202u, 3978931785u, 2198015705u}, 0.537593544f, 0.0714911148f, 0.79934943473044484, -1.3930104226081523},
    {1234ull, 1ull, 5ull, {75263415u, 1929890176u, 3433179576u}, 0.136307329f, 0.846454799f, 0.54125141312381375, 0.41551370847792407},
    {1234ull, 1ull, 1000000007ull, {2016537746u, 747053789u, 371801740u}, 0.546067178f, 0.879677355f, 0.34135710872820652, -2.8854555787614653},
    {1234ull, 12345678901ull, 0ull, {388073177u, 1729417769u, 11961485u}, 0.579233289f, 0.130358294f, 0.9016281739118126, -0.67811114774926495},
    {1234ull, 12345678901ull, 5ull, {107343687u, 136531800u, 3872463585u}, 0.614622653f, -0.633885384f, 0.15198503992343387, 0.07972469748053844},
    {1234ull, 12345678901ull, 1000000007ull, {4165462108u, 2106538523u, 2327158971u}, 0.817213297f, 0.0790561289f, 0.87698491491472819, 0.89566950670208989},
};
static const known philox[] = {
    {12379813738877118345ull, 0ull, 0ull, {99748313u, 3256070088u, 3893302788u}, 0.991570592f, -1.19628978f, 0.83543067541904747, -0.41534821570088265},
    {12379813738877118345ull, 0ull, 5ull, {2975495664u, 3588147428u, 1294621786u}, 0.224992782f, -0.0849195197f, 0.87520383251830935, -1.4389057044559095},
    {12379813738877118345ull, 0ull, 1000000007ull, {1158669716u, 3202672898u, 3406053413u}, 0.834855556f, 1.28323114f, 0.73314634920097888, 0.73985159389928556},
    {12379813738877118345ull, 1ull, 0ull, {2273676262u, 193103852u, 1896653482u}, 0.194157675f, -0.119349658f, 0.75808169762603939, 0.58003407025934162},
    {12379813738877118345ull, 1ull, 5ull, {4162612022u, 3255936098u, 1315380519u}, 0.69348681f, 0.550835788f, 0.10754638188518584, -1.0061447996945407},
    {12379813738877118345ull, 1ull, 1000000007ull, {3222337646u, 167223410u, 1136305438u}, 0.718135118f, 0.553195715f, 0.1047355099581182, 0.72162237248160899},
    {12379813738877118345ull, 12345678901ull, 0ull, {982218710u, 3823572953u, 3846702979u}, 0.589434326f, -0.708792865f, 0.71233258908614516, 0.20706706371620445},
    {12379813738877118345ull, 12345678901ull, 5ull, {3514947525u, 3059445173u, 3519562168u}, 0.804088175f, 0.381299525f, 0.33372237859293818, -0.62427090183914902},
    {12379813738877118345ull, 12345678901ull, 1000000007ull, {2525940083u, 3630062177u, 3954271671u}, 0.75021857f, -0.526975274f, 0.28255793382413685, -0.13066216847407894},
};

template <class State>
__global__ void draws(known* all, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  known& k = all[i];
  State state;
  curand_init(k.seed, k.sequence, k.offset, &state);
  for (unsigned& bits : k.bits) bits = curand(&state);
  k.uniform = curand_uniform(&state);
  k.normal = curand_normal(&state);
  k.uniform_double = curand_uniform_double(&state);
  k.normal_double = curand_normal_double(&state);
}

template <class State, int N>
static void compare(const known (&expected)[N]) {
  std::vector<known> asked(expected, expected + N);
  for (known& k : asked) k = {k.seed, k.sequence, k.offset, {}, 0, 0, 0, 0};
  known* on_device;
  cudaMalloc(&on_device, sizeof expected);
  cudaMemcpy(on_device, asked.data(), sizeof expected, cudaMemcpyHostToDevice);
  draws<State><<<1, 32>>>(on_device, N);
  cudaMemcpy(asked.data(), on_device, sizeof expected, cudaMemcpyDeviceToHost);
  for (int i = 0; i < N; ++i) {
    const known &got = asked[i], &right = expected[i];
    EXPECT(std::memcmp(got.bits, right.bits, sizeof got.bits) == 0);
    EXPECT(got.uniform == right.uniform && got.uniform_double == right.uniform_double);
    EXPECT(std::fabs(got.normal - right.normal) < 1e-5f);
    EXPECT(std::fabs(got.normal_double - right.normal_double) < 1e-12);
  }
  cudaFree(on_device);
}

__global__ void shares_a_state(curandState* state, float* x) {
  x[threadIdx.x] = curand_uniform(state);  // @shares
}
__global__ void begins(curandState* state) { curand_init(1, 0, 0, state); }

int main(int count, char** words) {
  const char* const mode = count > 1 ? words[1] : "";
  float* x;
  curandState* state;
  cudaMalloc(&x, 100 * sizeof(float));
  cudaMalloc(&state, sizeof(curandState));
  curandGenerator_t generator;
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10);
  curandSetPseudoRandomGeneratorSeed(generator, 7);
  if (std::strcmp(mode, "shares") == 0) {
    begins<<<1, 1>>>(state);
    shares_a_state<<<1, 32>>>(state, x);
  } else if (std::strcmp(mode, "overruns") == 0) {
    curandGenerateUniform(generator, x, 101);  // @overruns
  } else {
    compare<curandStateXORWOW_t>(xorwow);
    compare<curandStatePhilox4_32_10_t>(philox);
    EXPECT(curandGenerateUniform(generator, x, 60) == CURAND_STATUS_SUCCESS);
    EXPECT(curandGenerateUniform(generator, x + 60, 40) == CURAND_STATUS_SUCCESS);
    float got[100], whole[100];
    cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost);
    curandGenerator_t on_host;
    curandCreateGeneratorHost(&on_host, CURAND_RNG_PSEUDO_PHILOX4_32_10);
    curandSetPseudoRandomGeneratorSeed(on_host, 7);
    curandGenerateUniform(on_host, whole, 100);
    curandDestroyGenerator(on_host);
    EXPECT(std::memcmp(got, whole, sizeof got) == 0);
#ifdef __HEDDLE_CHECK__
    // As curand.h has it; cuRAND 13.0 takes odd lengths of this generator.
    EXPECT(curandGenerateNormal(generator, x, 99, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
#endif
    double sum = 0;
    for (const float each : whole) sum += each;
    EXPECT(sum > 40 && sum < 60);
    std::printf("failures: %d\n", failures);
  }
  curandDestroyGenerator(generator);
  cudaFree(x);
  cudaFree(state);
}

// program
// clean
// prints failures: 0
// program -- shares
// finds data-race @shares of state
// program -- overruns
// finds out-of-bounds @overruns of x
