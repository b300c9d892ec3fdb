/** When the output has colours: by the option, the environment and the terminal. */

import { describe, expect, test } from 'vitest';
import type { Output } from '../../../src/cli/session/context.ts';
import { choosePalette } from '../../../src/cli/session/views.ts';
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
});
