#ifdef __cplusplus
extern "C"
#endif
void launch(float* x, int n);
