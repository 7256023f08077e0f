/** The arguments of Node that start jest in the project's folder, as `npm test` does. */
export const jest = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  'node_modules/jest/bin/jest.js',
];
