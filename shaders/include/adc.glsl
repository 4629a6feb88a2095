// What adc_mark says about a splat in add.
const uint ADD_NONE = 0u;
const uint ADD_CLONE = 1u;
const uint ADD_SPLIT = 2u;
