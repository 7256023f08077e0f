/** The signed 64-bit integers, and how many digits one has at most. */
export const int64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n, maxDigits: 19 };
