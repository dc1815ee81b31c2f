// program
// fails refused_graph.cu:5: cudaGraph_t: graphs are not supported
int main() {
  return 0;
  cudaGraph_t graph;
}
