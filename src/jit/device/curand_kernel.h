#error "heddle: cuRAND's device functions are not supported"
