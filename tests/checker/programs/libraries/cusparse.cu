// cuSPARSE: products, solutions and conversions of matrices in all formats against dense ones; and mistakes around its calls.
#include "cusparse_matrices.cuh"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

constexpr cusparseOperation_t operations[] = {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};
constexpr cusparseFormat_t formats[] = {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO};
constexpr cusparseOrder_t orders[] = {CUSPARSE_ORDER_COL, CUSPARSE_ORDER_ROW};

template <class V, class I>
static void vectors() {
  const number alpha = type_of<V>::is_complex ? number(2, -1) : 2;
  int turn = 0;
  const matrix a = some<V>(6, 4, 1);
  for (const auto format : formats) {
    for (const int base : {0, 1}) {
      const sparse<V, I> s(a, format, base);
      for (const auto op : operations) {
        const matrix of_a = with(op, a), x = some<V>(of_a.columns, 1), y = some<V>(of_a.rows, 1);
        const number beta = turn % 3 == 0 ? 0 : -0.5;
        const factors<V> f(alpha, beta, turn++ % 2 != 0);
        vector<V> on_x(x.of), on_y(y.of);
        buffer b;
        if (op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE && !type_of<V>::is_complex) {
          EXPECT(cusparseSpMV_bufferSize(handle, op, f.alpha, s.descr, on_x.descr, f.beta, on_y.descr, type_of<V>::value, CUSPARSE_SPMV_ALG_DEFAULT, &b.bytes) !=
                 CUSPARSE_STATUS_SUCCESS);
          continue;
        }
        RIGHT(cusparseSpMV_bufferSize(handle, op, f.alpha, s.descr, on_x.descr, f.beta, on_y.descr, type_of<V>::value, CUSPARSE_SPMV_ALG_DEFAULT, &b.bytes));
        RIGHT(cusparseSpMV_preprocess(handle, op, f.alpha, s.descr, on_x.descr, f.beta, on_y.descr, type_of<V>::value, CUSPARSE_SPMV_ALG_DEFAULT, b.get()));
        RIGHT(cusparseSpMV(handle, op, f.alpha, s.descr, on_x.descr, f.beta, on_y.descr, type_of<V>::value, CUSPARSE_SPMV_ALG_DEFAULT, b.get()));
        EXPECT(are_near(on_y.get(), sum(alpha, product(of_a, x), beta, y).of));
      }
    }
  }
}

template <class V>
static void matrices() {
  const number alpha = type_of<V>::is_complex ? number(1, 0.5) : 1.5;
  int turn = 0;
  const matrix a = some<V>(5, 4, 1);
  for (const auto of_a : operations) {
    for (const auto of_b : operations) {
      const matrix left = with(of_a, a);
      const matrix b = of_b == CUSPARSE_OPERATION_NON_TRANSPOSE ? some<V>(left.columns, 3) : some<V>(3, left.columns);
      const matrix c = some<V>(left.rows, 3);
      const sparse<V, int> s(a, formats[turn % 3], turn % 2);
      const dense<V> on_b(b, orders[turn % 2]), on_c(c, orders[turn / 2 % 2]);
      const number beta = turn % 2;
      const factors<V> f(alpha, beta, turn++ % 3 == 0);
      buffer w;
      RIGHT(cusparseSpMM_bufferSize(handle, of_a, of_b, f.alpha, s.descr, on_b.descr, f.beta, on_c.descr, type_of<V>::value, CUSPARSE_SPMM_ALG_DEFAULT, &w.bytes));
      RIGHT(cusparseSpMM_preprocess(handle, of_a, of_b, f.alpha, s.descr, on_b.descr, f.beta, on_c.descr, type_of<V>::value, CUSPARSE_SPMM_ALG_DEFAULT, w.get()));
      RIGHT(cusparseSpMM(handle, of_a, of_b, f.alpha, s.descr, on_b.descr, f.beta, on_c.descr, type_of<V>::value, CUSPARSE_SPMM_ALG_DEFAULT, w.get()));
      EXPECT(are_near(on_c.get().of, sum(alpha, product(left, with(of_b, b)), beta, c).of));

      // The same product where a sparse matrix has entries.
      const matrix to = some<V>(left.rows, 3, 1);
      const dense<V> on_a(a, orders[turn % 2]);
      const sparse<V, int64_t> sampled(to, formats[turn % 2 * 2], turn % 2);
      RIGHT(cusparseSDDMM_bufferSize(handle, of_a, of_b, f.alpha, on_a.descr, on_b.descr, f.beta, sampled.descr, type_of<V>::value, CUSPARSE_SDDMM_ALG_DEFAULT, &w.bytes));
      RIGHT(cusparseSDDMM_preprocess(handle, of_a, of_b, f.alpha, on_a.descr, on_b.descr, f.beta, sampled.descr, type_of<V>::value, CUSPARSE_SDDMM_ALG_DEFAULT, nullptr));
      RIGHT(cusparseSDDMM(handle, of_a, of_b, f.alpha, on_a.descr, on_b.descr, f.beta, sampled.descr, type_of<V>::value, CUSPARSE_SDDMM_ALG_DEFAULT, nullptr));
      const matrix whole = sum(alpha, product(left, with(of_b, b)), beta, to);
      std::vector<number> entries;
      for (size_t i = 0; i < whole.of.size(); ++i)
        if (to.of[i] != number()) entries.push_back(whole.of[i]);
      EXPECT(are_near(all_loaded(back(sampled.on_values, entries.size())), entries));
    }
  }
}

// Three matrices one after another times as many vectors.
static void batches() {
  std::vector<number> values;
  for (int i = 0; i < 6; ++i) values.push_back(i + 1);
  const auto on_values = device(all_stored<double>(values));
  const auto offsets = device(std::vector<int>{0, 1, 2, 0, 1, 2, 0, 0, 2}), columns = device(std::vector<int>{0, 1, 1, 0, 0, 1});
  const auto b = device(std::vector<double>{1, 10, 2, 20, 3, 30});
  const auto c = device(std::vector<double>(6, 0));
  cusparseSpMatDescr_t s;
  cusparseDnMatDescr_t from, to;
  RIGHT(cusparseCreateCsr(&s, 2, 2, 2, offsets, columns, on_values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
  RIGHT(cusparseCsrSetStridedBatch(s, 3, 3, 2));
  RIGHT(cusparseCreateDnMat(&from, 2, 1, 2, b, CUDA_R_64F, CUSPARSE_ORDER_COL));
  RIGHT(cusparseDnMatSetStridedBatch(from, 3, 2));
  RIGHT(cusparseCreateDnMat(&to, 2, 1, 2, c, CUDA_R_64F, CUSPARSE_ORDER_COL));
  RIGHT(cusparseDnMatSetStridedBatch(to, 3, 2));
  const double alpha = 1, beta = 0;
  RIGHT(cusparseSpMM(handle, operations[0], operations[0], &alpha, s, from, &beta, to, CUDA_R_64F, CUSPARSE_SPMM_CSR_ALG1, nullptr));
  EXPECT((back(c, 6) == std::vector<double>{1, 20, 60, 8, 0, 195}));
  cusparseDestroySpMat(s);
  cusparseDestroyDnMat(from);
  cusparseDestroyDnMat(to);
  for (double* each : {on_values, b, c}) cudaFree(each);
  cudaFree(offsets);
  cudaFree(columns);
}

// Blocks of two rows and three columns, of which the second row of blocks has two.
static void blocks() {
  const matrix x = some<double>(9, 1);
  for (const auto order : orders) {
    matrix a(4, 9);
    std::vector<double> values;
    const int places[][2] = {{0, 1}, {1, 0}, {1, 2}};
    for (const auto& at : places) {
      for (int k = 0; k < 6; ++k) {
        const int r = order == CUSPARSE_ORDER_ROW ? k / 3 : k % 2, c = order == CUSPARSE_ORDER_ROW ? k % 3 : k / 2;
        values.push_back(next());
        a(at[0] * 2 + r, at[1] * 3 + c) = values.back();
      }
    }
    const auto offsets = device(std::vector<int>{0, 1, 3}), columns = device(std::vector<int>{1, 0, 2});
    double* const on_values = device(values);
    cusparseSpMatDescr_t s;
    RIGHT(cusparseCreateBsr(&s, 2, 3, 3, 2, 3, offsets, columns, on_values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F, order));
    const vector<double> on_x(x.of), y(std::vector<number>(4, 0));
    const double alpha = 1, beta = 0;
    RIGHT(cusparseSpMV(handle, operations[0], &alpha, s, on_x.descr, &beta, y.descr, CUDA_R_64F, CUSPARSE_SPMV_BSR_ALG1, nullptr));
    EXPECT(are_near(y.get(), product(a, x).of));
    cusparseDestroySpMat(s);
    cudaFree(offsets);
    cudaFree(columns);
    cudaFree(on_values);
  }
}

template <class V, class I>
static void conversions() {
  for (const auto format : formats) {
    for (const auto order : orders) {
      const int base = order == CUSPARSE_ORDER_COL;
      const matrix a = some<V>(4, 6, 1);
      const sparse<V, I> s(a, format, base);
      const dense<V> d(some<V>(4, 6), order);
      buffer b;
      RIGHT(cusparseSparseToDense_bufferSize(handle, s.descr, d.descr, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &b.bytes));
      RIGHT(cusparseSparseToDense(handle, s.descr, d.descr, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, b.get()));
      EXPECT(are_near(d.get().of, a.of));

      // And back into memory of the number of entries that is told.
      I *lines = device(std::vector<I>(s.lines.size())), *across;
      V* values;
      cusparseSpMatDescr_t made;
      const auto from = static_cast<cusparseIndexBase_t>(base);
      if (format == CUSPARSE_FORMAT_COO) {
        RIGHT(cusparseCreateCoo(&made, 4, 6, 0, nullptr, nullptr, nullptr, index_of<I>, from, type_of<V>::value));
      } else {
        RIGHT((format == CUSPARSE_FORMAT_CSC ? cusparseCreateCsc : cusparseCreateCsr)(&made, 4, 6, 0, lines, nullptr, nullptr, index_of<I>, index_of<I>, from, type_of<V>::value));
      }
      buffer w;
      RIGHT(cusparseDenseToSparse_bufferSize(handle, d.descr, made, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, &w.bytes));
      RIGHT(cusparseDenseToSparse_analysis(handle, d.descr, made, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, w.get()));
      int64_t rows, columns, entries;
      RIGHT(cusparseSpMatGetSize(made, &rows, &columns, &entries));
      EXPECT(rows == 4 && columns == 6 && entries == static_cast<int64_t>(s.values.size()));
      cudaMalloc(&across, entries * sizeof *across);
      cudaMalloc(&values, entries * sizeof *values);
      RIGHT((format == CUSPARSE_FORMAT_COO ? cusparseCooSetPointers : format == CUSPARSE_FORMAT_CSC ? cusparseCscSetPointers : cusparseCsrSetPointers)(made, lines, across, values));
      RIGHT(cusparseDenseToSparse_convert(handle, d.descr, made, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, w.get()));
      EXPECT(back(lines, s.lines.size()) == s.lines && back(across, s.across.size()) == s.across);
      EXPECT(are_near(all_loaded(back(values, entries)), all_loaded(s.values)));
      cusparseDestroySpMat(made);
      cudaFree(lines);
      cudaFree(across);
      cudaFree(values);
    }
  }
}

static void compressed_and_sorted() {
  for (const int base : {0, 1}) {
    const auto from = static_cast<cusparseIndexBase_t>(base);
    const matrix a = some<double>(5, 7, 1);
    const sparse<double, int> csr(a, CUSPARSE_FORMAT_CSR, base), csc(a, CUSPARSE_FORMAT_CSC, base), coo(a, CUSPARSE_FORMAT_COO, base);
    const int n = csr.values.size();
    int *offsets = device(std::vector<int>(8)), *indices = device(std::vector<int>(n)), *order = device(std::vector<int>(n));
    double* values = device(std::vector<double>(n));
    buffer b;
    RIGHT(cusparseCsr2cscEx2_bufferSize(handle, 5, 7, n, csr.on_values, csr.on_lines, csr.on_across, values, offsets, indices, CUDA_R_64F, CUSPARSE_ACTION_NUMERIC, from, CUSPARSE_CSR2CSC_ALG1, &b.bytes));
    RIGHT(cusparseCsr2cscEx2(handle, 5, 7, n, csr.on_values, csr.on_lines, csr.on_across, values, offsets, indices, CUDA_R_64F, CUSPARSE_ACTION_NUMERIC, from, CUSPARSE_CSR2CSC_ALG1, b.get()));
    EXPECT(back(offsets, 8) == csc.lines && back(indices, n) == csc.across && back(values, n) == csc.values);
    RIGHT(cusparseXcoo2csr(handle, coo.on_lines, n, 5, offsets, from));
    EXPECT(back(offsets, 6) == csr.lines);
    RIGHT(cusparseXcsr2coo(handle, csr.on_lines, n, 5, indices, from));
    EXPECT(back(indices, n) == coo.lines);

    // Entries in another order, back into that of rows and then of columns.
    std::vector<int> rows(n), columns(n);
    for (int i = 0; i < n; ++i) {
      const int k = (i * 7 + 3) % n;
      rows[i] = n % 7 == 0 ? coo.lines[n - 1 - i] : coo.lines[k];
      columns[i] = n % 7 == 0 ? coo.across[n - 1 - i] : coo.across[k];
    }
    int *on_rows = device(rows), *on_columns = device(columns);
    buffer w;
    RIGHT(cusparseXcoosort_bufferSizeExt(handle, 5, 7, n, on_rows, on_columns, &w.bytes));
    RIGHT(cusparseCreateIdentityPermutation(handle, n, order));
    RIGHT(cusparseXcoosortByRow(handle, 5, 7, n, on_rows, on_columns, order, w.get()));
    EXPECT(back(on_rows, n) == coo.lines && back(on_columns, n) == coo.across);
    const auto places = back(order, n);
    for (int i = 0; i < n; ++i) EXPECT(rows[places[i]] == coo.lines[i] && columns[places[i]] == coo.across[i]);
    RIGHT(cusparseXcoosortByColumn(handle, 5, 7, n, on_rows, on_columns, nullptr, w.get()));
    EXPECT(back(on_rows, n) == csc.across);

    // Each row from behind.
    std::vector<int> across = csr.across;
    for (int r = 0; r < 5; ++r) std::reverse(across.begin() + csr.lines[r] - base, across.begin() + csr.lines[r + 1] - base);
    int* const reversed = device(across);
    cusparseMatDescr_t descr;
    cusparseCreateMatDescr(&descr);
    cusparseSetMatIndexBase(descr, from);
    RIGHT(cusparseCreateIdentityPermutation(handle, n, order));
    RIGHT(cusparseXcsrsort(handle, 5, 7, n, descr, csr.on_lines, reversed, order, w.get()));
    EXPECT(back(reversed, n) == csr.across);
    const auto moved = back(order, n);
    for (int i = 0; i < n; ++i) EXPECT(across[moved[i]] == csr.across[i]);
    cusparseDestroyMatDescr(descr);
    for (int* each : {offsets, indices, order, on_rows, on_columns, reversed}) cudaFree(each);
    cudaFree(values);
  }
}

template <class V>
static void sparse_products() {
  const matrix a = some<V>(5, 4, 1), b = some<V>(4, 6, 1), c = product(a, b);
  const sparse<V, int> on_a(a, CUSPARSE_FORMAT_CSR, 0), on_b(b, CUSPARSE_FORMAT_CSR, 1);
  const factors<V> f(2, 0, false);
  int* const offsets = device(std::vector<int>(6));
  int* columns;
  V* values;
  cusparseSpMatDescr_t made;
  RIGHT(cusparseCreateCsr(&made, 5, 6, 0, offsets, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, type_of<V>::value));
  cusparseSpGEMMDescr_t descr;
  RIGHT(cusparseSpGEMM_createDescr(&descr));
  constexpr auto op = CUSPARSE_OPERATION_NON_TRANSPOSE;
  constexpr auto type = type_of<V>::value;
  buffer first, second;
  RIGHT(cusparseSpGEMM_workEstimation(handle, op, op, f.alpha, on_a.descr, on_b.descr, f.beta, made, type, CUSPARSE_SPGEMM_DEFAULT, descr, &first.bytes, nullptr));
  RIGHT(cusparseSpGEMM_workEstimation(handle, op, op, f.alpha, on_a.descr, on_b.descr, f.beta, made, type, CUSPARSE_SPGEMM_DEFAULT, descr, &first.bytes, first.get()));
  RIGHT(cusparseSpGEMM_compute(handle, op, op, f.alpha, on_a.descr, on_b.descr, f.beta, made, type, CUSPARSE_SPGEMM_DEFAULT, descr, &second.bytes, nullptr));
  RIGHT(cusparseSpGEMM_compute(handle, op, op, f.alpha, on_a.descr, on_b.descr, f.beta, made, type, CUSPARSE_SPGEMM_DEFAULT, descr, &second.bytes, second.get()));
  int64_t rows, across, entries;
  cusparseSpMatGetSize(made, &rows, &across, &entries);
  cudaMalloc(&columns, entries * sizeof *columns);
  cudaMalloc(&values, entries * sizeof *values);
  RIGHT(cusparseCsrSetPointers(made, offsets, columns, values));
  RIGHT(cusparseSpGEMM_copy(handle, op, op, f.alpha, on_a.descr, on_b.descr, f.beta, made, type, CUSPARSE_SPGEMM_DEFAULT, descr));
  const dense<V> d(some<V>(5, 6), CUSPARSE_ORDER_ROW);
  RIGHT(cusparseSparseToDense(handle, made, d.descr, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr));
  EXPECT(are_near(d.get().of, sum(2, c, 0, c).of));
  // Where a row of a meets a row of b there is an entry, in order.
  int64_t expected = 0;
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 6; ++j) {
      bool meets = false;
      for (int k = 0; k < 4; ++k) meets |= a(i, k) != number() && b(k, j) != number();
      expected += meets;
    }
  }
  EXPECT(entries == expected && back(offsets, 6)[5] == expected + 1);
  const auto begins = back(offsets, 6), indices = back(columns, entries);
  for (int i = 0; i < 5; ++i) EXPECT(std::is_sorted(indices.begin() + begins[i] - 1, indices.begin() + begins[i + 1] - 1));

  // The structure once, and the values twice: added to what is there.
  cudaMemset(offsets, 0, 6 * sizeof *offsets);
  buffer more[5];
  RIGHT(cusparseSpGEMMreuse_workEstimation(handle, op, op, on_a.descr, on_b.descr, made, CUSPARSE_SPGEMM_DEFAULT, descr, &more[0].bytes, nullptr));
  RIGHT(cusparseSpGEMMreuse_workEstimation(handle, op, op, on_a.descr, on_b.descr, made, CUSPARSE_SPGEMM_DEFAULT, descr, &more[0].bytes, more[0].get()));
  RIGHT(cusparseSpGEMMreuse_nnz(handle, op, op, on_a.descr, on_b.descr, made, CUSPARSE_SPGEMM_DEFAULT, descr, &more[1].bytes, nullptr, &more[2].bytes, nullptr, &more[3].bytes, nullptr));
  RIGHT(cusparseSpGEMMreuse_nnz(handle, op, op, on_a.descr, on_b.descr, made, CUSPARSE_SPGEMM_DEFAULT, descr, &more[1].bytes, more[1].get(), &more[2].bytes, more[2].get(), &more[3].bytes, more[3].get()));
  RIGHT(cusparseSpGEMMreuse_copy(handle, op, op, on_a.descr, on_b.descr, made, CUSPARSE_SPGEMM_DEFAULT, descr, &more[4].bytes, nullptr));
  RIGHT(cusparseSpGEMMreuse_copy(handle, op, op, on_a.descr, on_b.descr, made, CUSPARSE_SPGEMM_DEFAULT, descr, &more[4].bytes, more[4].get()));
  const factors<V> g(1, 3, true);
  RIGHT(cusparseSpGEMMreuse_compute(handle, op, op, g.alpha, on_a.descr, on_b.descr, g.beta, made, type, CUSPARSE_SPGEMM_DEFAULT, descr));
  RIGHT(cusparseSparseToDense(handle, made, d.descr, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr));
  EXPECT(are_near(d.get().of, sum(7, c, 0, c).of));
  cusparseSpGEMM_destroyDescr(descr);
  cusparseDestroySpMat(made);
  cudaFree(offsets);
  cudaFree(columns);
  cudaFree(values);
}

template <class V>
static void triangles() {
  int turn = 0;
  for (const auto op : operations) {
    for (auto fill : {CUSPARSE_FILL_MODE_LOWER, CUSPARSE_FILL_MODE_UPPER}) {
      for (auto diagonal : {CUSPARSE_DIAG_TYPE_NON_UNIT, CUSPARSE_DIAG_TYPE_UNIT}) {
        const int n = 6;
        matrix a = some<V>(n, n, 2), t(n, n);
        for (int i = 0; i < n; ++i) {
          a(i, i) = 4 + i;
          for (int j = 0; j < n; ++j)
            if (fill == CUSPARSE_FILL_MODE_LOWER ? j < i : j > i) t(i, j) = a(i, j);
          t(i, i) = diagonal == CUSPARSE_DIAG_TYPE_UNIT ? 1 : a(i, i);
        }
        const sparse<V, int> s(a, formats[turn % 3], turn % 2);
        RIGHT(cusparseSpMatSetAttribute(s.descr, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
        RIGHT(cusparseSpMatSetAttribute(s.descr, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal));
        const matrix x = some<V>(n, 1), right = some<V>(n, 2);
        const vector<V> on_x(x.of), y(std::vector<number>(n, 0));
        const factors<V> f(2, 0, turn % 2 != 0);
        cusparseSpSVDescr_t one;
        cusparseSpSMDescr_t several;
        buffer b, w;
        constexpr auto type = type_of<V>::value;
        RIGHT(cusparseSpSV_createDescr(&one));
        RIGHT(cusparseSpSV_bufferSize(handle, op, f.alpha, s.descr, on_x.descr, y.descr, type, CUSPARSE_SPSV_ALG_DEFAULT, one, &b.bytes));
        RIGHT(cusparseSpSV_analysis(handle, op, f.alpha, s.descr, on_x.descr, y.descr, type, CUSPARSE_SPSV_ALG_DEFAULT, one, b.get()));
        RIGHT(cusparseSpSV_solve(handle, op, f.alpha, s.descr, on_x.descr, y.descr, type, CUSPARSE_SPSV_ALG_DEFAULT, one));
        matrix solution(n, 1);
        solution.of = y.get();
        EXPECT(are_near(product(with(op, t), solution).of, sum(2, x, 0, x).of));
        const dense<V> from(right, orders[turn % 2]), to(some<V>(n, 2), orders[turn / 2 % 2]);
        constexpr auto as_it_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
        RIGHT(cusparseSpSM_createDescr(&several));
        RIGHT(cusparseSpSM_bufferSize(handle, op, as_it_is, f.alpha, s.descr, from.descr, to.descr, type, CUSPARSE_SPSM_ALG_DEFAULT, several, &w.bytes));
        RIGHT(cusparseSpSM_analysis(handle, op, as_it_is, f.alpha, s.descr, from.descr, to.descr, type, CUSPARSE_SPSM_ALG_DEFAULT, several, w.get()));
        RIGHT(cusparseSpSM_solve(handle, op, as_it_is, f.alpha, s.descr, from.descr, to.descr, type, CUSPARSE_SPSM_ALG_DEFAULT, several));
        EXPECT(are_near(product(with(op, t), to.get()).of, sum(2, right, 0, right).of));
        cusparseSpSV_destroyDescr(one);
        cusparseSpSM_destroyDescr(several);
        ++turn;
      }
    }
  }
}

static void sparse_vectors() {
  using V = cuComplex;
  const std::vector<int> places{1, 4, 2};
  const matrix x = some<V>(3, 1), y = some<V>(6, 1);
  int* const indices = device(std::vector<int>{2, 5, 3});
  V* const values = device(all_stored<V>(x.of));
  vector<V> on_y(y.of);
  cusparseSpVecDescr_t v;
  RIGHT(cusparseCreateSpVec(&v, 6, 3, indices, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, CUDA_C_32F));
  for (const bool is_on_device : {false, true}) {
    const factors<V> f({0, 2}, -1, is_on_device);
    const auto before = on_y.get();
    RIGHT(cusparseAxpby(handle, f.alpha, v, f.beta, on_y.descr));
    auto want = before;
    for (auto& z : want) z = -z;
    for (int i = 0; i < 3; ++i) want[places[i]] += number(0, 2) * x.of[i];
    EXPECT(are_near(on_y.get(), want));
    V result{}, *to = &result;
    if (is_on_device) to = f.on_device;
    RIGHT(cusparseSpVV(handle, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, v, on_y.descr, to, CUDA_C_32F, nullptr));
    if (is_on_device) result = back(to, 1)[0];
    number expected = 0;
    for (int i = 0; i < 3; ++i) expected += std::conj(x.of[i]) * want[places[i]];
    EXPECT(are_near({loaded(result)}, {expected}));
  }
  auto dense_values = on_y.get();
  RIGHT(cusparseGather(handle, on_y.descr, v));
  for (int i = 0; i < 3; ++i) EXPECT(loaded(back(values, 3)[i]) == dense_values[places[i]]);
  const factors<V> f(0.6, 0.8, false);
  RIGHT(cusparseRot(handle, f.alpha, f.beta, v, on_y.descr));
  for (int i = 0; i < 3; ++i) {
    const number old = dense_values[places[i]];
    EXPECT(std::abs(loaded(back(values, 3)[i]) - 1.4 * old) < 1e-5 * (1 + std::abs(old)));
    EXPECT(std::abs(on_y.get()[places[i]] - -0.2 * old) < 1e-5 * (1 + std::abs(old)));
  }
  RIGHT(cusparseScatter(handle, v, on_y.descr));
  for (int i = 0; i < 3; ++i) EXPECT(on_y.get()[places[i]] == loaded(back(values, 3)[i]));
  EXPECT(on_y.get()[0] == dense_values[0]);
  cusparseDestroySpVec(v);
  cudaFree(indices);
  cudaFree(values);
}

static void results() {
  const matrix a = some<float>(3, 4, 1);
  const sparse<float, int> s(a, CUSPARSE_FORMAT_CSR, 0);
  const vector<float> three(std::vector<number>(3, 1)), four(std::vector<number>(4, 1));
  const float alpha = 1, beta = 0;
  size_t bytes;
  EXPECT(cusparseSpMV(handle, operations[0], &alpha, s.descr, three.descr, &beta, four.descr, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr) == CUSPARSE_STATUS_INVALID_VALUE);
  EXPECT(cusparseSpMV(nullptr, operations[0], &alpha, s.descr, four.descr, &beta, three.descr, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr) == CUSPARSE_STATUS_NOT_INITIALIZED);
  EXPECT(cusparseSpMV(handle, operations[0], nullptr, s.descr, four.descr, &beta, three.descr, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr) == CUSPARSE_STATUS_INVALID_VALUE);
  EXPECT(cusparseSpMV_bufferSize(handle, operations[1], &alpha, s.descr, four.descr, &beta, three.descr, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes) == CUSPARSE_STATUS_INVALID_VALUE);
  cusparseDnMatDescr_t d;
  EXPECT(cusparseCreateDnMat(&d, 3, 4, 2, three.on_values, CUDA_R_32F, CUSPARSE_ORDER_COL) == CUSPARSE_STATUS_INVALID_VALUE);
  EXPECT(std::strcmp(cusparseGetErrorName(CUSPARSE_STATUS_INVALID_VALUE), "CUSPARSE_STATUS_INVALID_VALUE") == 0);
  int version = 0, major = 0;
  RIGHT(cusparseGetVersion(handle, &version));
  RIGHT(cusparseGetProperty(MAJOR_VERSION, &major));
  EXPECT(version == CUSPARSE_VERSION && major == CUSPARSE_VER_MAJOR);
}

__global__ void fill(float* x) {
  x[threadIdx.x] = 1;  // @fills
}

int main(int count, char** words) {
  const char* const mode = count > 1 ? words[1] : "";
  RIGHT(cusparseCreate(&handle));
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  const bool is_outside = std::strcmp(mode, "outside") == 0;
  const int n = 4, host_offsets[] = {0, 1, 2, 3, 4}, host_columns[] = {0, 1, 2, is_outside ? 4 : 3};
  const float host_values[] = {1, 2, 3, 4}, alpha = 1, beta = std::strcmp(mode, "beta") == 0 ? 1 : 0;
  int *offsets, *columns;
  float *values, *x, *y, *short_y;
  cudaMalloc(&offsets, sizeof host_offsets);
  cudaMalloc(&columns, sizeof host_columns);
  cudaMalloc(&values, sizeof host_values);
  cudaMalloc(&x, n * sizeof *x);
  cudaMalloc(&y, n * sizeof *y);
  cudaMalloc(&short_y, (n - 1) * sizeof *y);
  cudaMemcpy(offsets, host_offsets, sizeof host_offsets, cudaMemcpyHostToDevice);
  cudaMemcpy(columns, host_columns, sizeof host_columns, cudaMemcpyHostToDevice);
  cudaMemcpy(values, host_values, sizeof host_values, cudaMemcpyHostToDevice);
  cudaMemcpy(x, host_values, sizeof host_values, cudaMemcpyHostToDevice);
  cusparseSpMatDescr_t a;
  cusparseDnVecDescr_t of_x, of_y;
  cusparseCreateCsr(&a, n, n, n, offsets, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  cusparseCreateDnVec(&of_x, n, x, CUDA_R_32F);
  cusparseCreateDnVec(&of_y, n, std::strcmp(mode, "short") == 0 ? short_y : y, CUDA_R_32F);
  size_t bytes;
  char* work;
  cusparseSpMV_bufferSize(handle, operations[0], &alpha, a, of_x, &beta, of_y, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes);
  cudaMalloc(&work, std::strcmp(mode, "work") == 0 ? bytes - 1 : bytes);
  cudaDeviceSynchronize();
  if (mode[0] != 0) {
    cusparseSetStream(handle, first);
    if (std::strcmp(mode, "streams") == 0) fill<<<1, n, 0, second>>>(x);
    cusparseSpMV(handle, operations[0], &alpha, a, of_x, &beta, of_y, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, work);  // @multiplies
    if (std::strcmp(mode, "shared") == 0) {
      cusparseSetStream(handle, second);
      cusparseDnVecSetValues(of_y, device(std::vector<float>(n)));
      cusparseSpMV(handle, operations[0], &alpha, a, of_x, &beta, of_y, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, work);  // @again
    }
  } else {
    vectors<float, int>();
    vectors<double, int64_t>();
    vectors<cuComplex, int64_t>();
    vectors<cuDoubleComplex, int>();
    matrices<float>();
    matrices<cuDoubleComplex>();
    batches();
    blocks();
    conversions<double, int>();
    conversions<cuComplex, int64_t>();
    compressed_and_sorted();
    sparse_products<double>();
    sparse_products<cuComplex>();
    triangles<double>();
    triangles<cuDoubleComplex>();
    sparse_vectors();
    results();
    std::printf("failures: %d\n", failures);
  }
  cudaDeviceSynchronize();
  cusparseDestroy(handle);
}

// program
// clean
// prints failures: 0
// program -- ordered
// clean
// program -- outside
// finds out-of-bounds @multiplies of x
// program -- short
// finds out-of-bounds @multiplies of short_y
// program -- beta
// finds uninitialised-read @multiplies of y
// program -- work
// finds out-of-bounds @multiplies of work
// program -- streams
// finds data-race @fills @multiplies of x
// program -- shared
// finds data-race @multiplies @again of work
