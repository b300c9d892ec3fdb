// The packages whose code is part of what is published. The build refuses others, and CI audits these as strictly as what users install.

export const BUNDLED = [
  '@marcbachmann/cel-js',
  'ajv',
  'commander',
  'diff',
  'fast-deep-equal',
  'fast-uri',
  'fastest-levenshtein',
  'fdir',
  'json-schema-traverse',
  'p-limit',
  'picomatch',
  'tinyglobby',
  'undici',
  'yaml',
  'yocto-queue',
];
