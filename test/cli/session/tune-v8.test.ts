/** Which settings V8 gets: Node prints an error for one that it does not know, in every run. */

import { syncBuiltinESMExports } from 'node:module';
import v8 from 'node:v8';
import { expect, test } from 'vitest';
import { tuneV8 } from '../../../src/cli/session/compile-cache.ts';

function flagsOf(nodeVersion: string, argv: readonly string[] = ['plan']): readonly string[] {
  const flags: string[] = [];
  const { setFlagsFromString } = v8;
  Object.assign(v8, { setFlagsFromString: (flag: string) => void flags.push(flag) });
  syncBuiltinESMExports();
  try {
    tuneV8(nodeVersion, argv);
    return flags;
  } finally {
    Object.assign(v8, { setFlagsFromString });
    syncBuiltinESMExports();
  }
}

const WASM = '--wasm-tiering-budget=1000000000';

test.each<[string, readonly string[]]>([
  ['20.19.0', ['--interrupt-budget=300000', '--max-inlined-bytecode-size-cumulative=200', WASM]],
  ['21.0.0', [WASM]],
  ['26.3.1', [WASM]],
  ['27.0.0', []],
])('Node %s gets %j', (version, flags) => {
  expect(flagsOf(version)).toEqual(flags);
});

test('the catalog gets one more', () => {
  expect(flagsOf('26.3.1', ['-c', 'flagwright.yaml', 'catalog'])).toEqual([WASM, '--no-concurrent-marking']);
});
