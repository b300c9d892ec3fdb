/** The colours of a terminal, and when to use them. */

import { styleText } from 'node:util';
import { PLAIN, type Paint, type Palette } from '../../report/view.ts';
import type { Context, Output } from './context.ts';

/** Decided by `--no-color`, then NO_COLOR, then FORCE_COLOR, then whether the output is a terminal with colours. */
export function choosePalette(output: Output, env: Context['env'], color: boolean): Palette {
  return wantsColor(output, env, color) ? ANSI : PLAIN;
}

function wantsColor(output: Output, env: Context['env'], color: boolean): boolean {
  if (!color || isSet(env['NO_COLOR'])) return false;
  if (isSet(env['FORCE_COLOR'])) return env['FORCE_COLOR'] !== '0' && env['FORCE_COLOR'] !== 'false';
  return output.isTerminal && env['TERM'] !== 'dumb';
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

const ANSI: Palette = {
  add: paint('green'),
  change: paint('yellow'),
  remove: paint('red'),
  strong: paint('bold'),
  dim: paint('dim'),
  warning: paint('yellow'),
  error: paint('red'),
};

function paint(format: 'green' | 'yellow' | 'red' | 'bold' | 'dim'): Paint {
  // Decided above; `styleText` itself would check stdout for every output.
  return (text) => styleText(format, text, { validateStream: false });
}
