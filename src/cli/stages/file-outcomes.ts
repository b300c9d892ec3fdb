/** What `init` and `export` did to files, as text and as a document. */

import type { JsonObject } from '../../base/json.ts';
import { FORMAT_VERSION } from '../../report/formats/json/documents.ts';
import { escapeLine } from '../../report/escape.ts';
import type { Palette } from '../../report/view.ts';

export interface FileOutcome {
  /** Relative to the working directory. */
  readonly file: string;
  readonly status: 'written' | 'kept';
}

export function filesText(files: readonly FileOutcome[], palette: Palette): string {
  return files
    .map(({ file, status }) =>
      status === 'written'
        ? `${palette.add('+ written')}  ${escapeLine(file)}\n`
        : `${palette.dim('= kept')}     ${escapeLine(file)}  ${palette.dim('it was there already')}\n`,
    )
    .join('');
}

export function filesDocument(files: readonly FileOutcome[]): JsonObject {
  return { format_version: FORMAT_VERSION, files: files.map(({ file, status }) => ({ file, status })) };
}
