export default {
  testRegex: 'spec\\.ts$',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': ['ts-jest', { useESM: true }] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
};
