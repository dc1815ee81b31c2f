#pragma once

#ifdef __cplusplus
extern "C"
#endif
    void
    fill(int* x, int n);
#ifdef __cplusplus
extern "C"
#endif
    int
    copy_to_device(const int* x, int n, int more);

#ifdef __cplusplus
void add_all(const int* x, int* sum, int n, bool races);
void free_both(int* x, int* sum);
#endif
