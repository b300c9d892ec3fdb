/** Shows a resource that an edit of manifests left alone, as text: the reason, and what to write by hand. */

import { escapeWholeLine } from '../../escape.ts';
import type { View } from '../../view.ts';

const INDENT = ' '.repeat(12);

/** `text`: why. `suggestion`: YAML. */
export function unwrittenLines(
  text: string,
  suggestion: string | undefined,
  { palette }: Pick<View, 'palette'>,
): string[] {
  const lines = suggestion === undefined ? [] : suggestion.split('\n');
  return [`${palette.error('left')}  ${text}`, ...lines.map((line) => `${INDENT}${escapeWholeLine(line)}`)];
}
