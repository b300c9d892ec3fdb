/** When the output has colours: by the option, the environment and the terminal. */

import { describe, expect, test } from 'vitest';
import type { Output } from '../../../src/cli/session/context.ts';
import { choosePalette } from '../../../src/cli/session/publish.ts';
import { PLAIN } from '../../../src/report/view.ts';

describe('colours', () => {
  const output = (isTerminal: boolean): Output => ({ isTerminal, columns: 80, write: async () => undefined });
  test.each([
    ['on a terminal', true, {}, true, true],
    ['in a pipe', false, {}, true, false],
    ['on a dumb terminal', true, { TERM: 'dumb' }, true, false],
    ['with NO_COLOR', true, { NO_COLOR: '1' }, true, false],
    ['with an empty NO_COLOR', true, { NO_COLOR: '' }, true, true],
    ['with FORCE_COLOR in a pipe', false, { FORCE_COLOR: '1' }, true, true],
    ['with FORCE_COLOR=0 on a terminal', true, { FORCE_COLOR: '0' }, true, false],
    ['with NO_COLOR and FORCE_COLOR', true, { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
    ['with --no-color and FORCE_COLOR', true, { FORCE_COLOR: '1' }, false, false],
  ])('%s', (_, isTerminal, env, option, expected) => {
    const palette = choosePalette(output(isTerminal), env, option);
    expect(palette !== PLAIN).toBe(expected);
    if (expected) expect(palette.add('x')).toBe('\u001b[32mx\u001b[39m');
  });

  test('say what is added, changed, removed, wrong or of less weight', () => {
    const palette = choosePalette(output(true), {}, true);
    const painted = Object.entries(palette).map(([name, paint]) => [name, (paint as (text: string) => string)('x')]);
    const [green, yellow, red] = [32, 33, 31].map((code) => `\u001b[${code}mx\u001b[39m`);
    expect(Object.fromEntries(painted)).toEqual({
      ...{ add: green, change: yellow, remove: red, warning: yellow, error: red },
      ...{ strong: '\u001b[1mx\u001b[22m', dim: '\u001b[2mx\u001b[22m' },
    });
  });
});
