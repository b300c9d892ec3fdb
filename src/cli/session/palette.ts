/** The colours of a terminal, and when they are wanted. */

import { styleText } from 'node:util';
import { PLAIN, type Paint, type Palette } from '../../report/view.ts';
import type { Context, Output } from './context.ts';

/** `--no-color`, then NO_COLOR, then FORCE_COLOR; else whether the output is a terminal that knows colours. */
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
  // Whether colours are wanted was decided above; `styleText` would look at stdout for every output.
  return (text) => styleText(format, text, { validateStream: false });
}
