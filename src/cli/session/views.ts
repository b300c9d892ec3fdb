/** How a document is shown: on stdout with the colours and the width of its terminal, in a file without; and the source lines that it shows. */

import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { styleText } from 'node:util';
import { defined } from '../../base/optional.ts';
import type { Place } from '../../base/place.ts';
import { PLAIN, type Paint, type Palette, GITHUB_COMMENT, GITLAB_COMMENT, type View } from '../../report/view.ts';
import { checkoutAround } from './files.ts';
import type { Context, Output } from './context.ts';
import type { SessionParts } from './session-parts.ts';

/** The view of stdout if `--output` sends the document elsewhere. */
export function viewOfStdout(parts: SessionParts): View {
  const { context, options } = parts;
  const { stdout } = context;
  const terminal = stdout.isTerminal && (options.output === undefined || options.output === '-');
  return {
    ...viewOfFile(parts),
    // A file may be read by a program, so it gets no colours.
    palette: choosePalette(stdout, context.env, options.color && options.output === undefined),
    terminal,
    ...defined({ width: terminal && !options.verbose ? stdout.columns : undefined }),
  };
}

export function viewOfFile({ context, options, places }: SessionParts): View {
  return {
    palette: PLAIN,
    verbose: options.verbose,
    terminal: false,
    sourceLine: sourceLines(places.root),
    repositoryFile: namesInRepository(context, places),
    // GitLab sets `GITLAB_CI`; elsewhere the smaller limit of GitHub is safe.
    documentLimit: options.markdownLimit ?? (context.env['GITLAB_CI'] === undefined ? GITHUB_COMMENT : GITLAB_COMMENT),
  };
}

/** Names relative to the top of the checkout, as on GitHub and GitLab, or to the working directory without a checkout. */
function namesInRepository(
  { env, cwd }: SessionParts['context'],
  places: SessionParts['places'],
): (file: string) => string {
  const tops = new Map<string, string>();
  return (file) => {
    const { root } = places;
    const top =
      tops.get(root) ?? env['GITHUB_WORKSPACE'] ?? env['CI_PROJECT_DIR'] ?? checkoutAround(root) ?? path.resolve(cwd);
    tops.set(root, top);
    return path.relative(top, path.resolve(root, file)).split(path.sep).join('/');
  };
}

const LARGEST_FILE = 16 * 1024 * 1024;

/** Finds lines of files below `root`; a file that cannot be read has none. */
export function sourceLines(root: string): (place: Place) => string | undefined {
  const files = new Map<string, readonly string[]>();
  return ({ file, line }) => {
    const lines = files.get(file) ?? readLines(path.resolve(root, file));
    files.set(file, lines);
    return lines[line - 1];
  };
}

function readLines(file: string): readonly string[] {
  try {
    const found = statSync(file);
    if (!found.isFile() || found.size > LARGEST_FILE) return [];
    return readFileSync(file, 'utf8').split(/\r\n|\r|\n/);
  } catch {
    return [];
  }
}

/** Decided by `--no-color`, then NO_COLOR, then FORCE_COLOR, then whether the output is a terminal with colours. */
export function choosePalette(output: Output, env: Context['env'], color: boolean): Palette {
  if (!color || isSet(env['NO_COLOR'])) return PLAIN;
  const wantsColor = isSet(env['FORCE_COLOR'])
    ? env['FORCE_COLOR'] !== '0' && env['FORCE_COLOR'] !== 'false'
    : output.isTerminal && env['TERM'] !== 'dumb';
  return wantsColor ? ANSI : PLAIN;
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
