// Nothing here is called by name: the library takes the place of the C library's clocks.
