/** The view of a report: colors, width and detail. They are passed in, so that no format reads the terminal. */

import type { JsonObject } from '../base/json.ts';
import type { Place } from '../base/place.ts';
import type { Tone } from './phrase.ts';

export interface View {
  readonly palette: Palette;
  /** Adds JSON pointers and role ids, lists every unmanaged flag, and shortens nothing. */
  readonly verbose: boolean;
  /** Characters on a line of a terminal; absent: nothing is cut or wrapped. */
  readonly width?: number;
  /** A terminal obeys control characters that a file has to keep. */
  readonly terminal: boolean;
  /** The most bytes of a Markdown document: comments have a limit. */
  readonly documentLimit?: number;
  /** The line of a file at a place, without its line break; `undefined` if it cannot be shown. */
  readonly sourceLine?: (place: Place) => string | undefined;
  /** The file of a place, relative to the repository that a CI job checks out. */
  readonly repositoryFile?: (file: string) => string;
  readonly run?: RunFacts;
}

/** The run around a report, for messages: only what the job itself says. */
export interface RunFacts {
  /** Who started it. */
  readonly actor?: string;
  /** The pull or merge request of the change. */
  readonly request?: { readonly name: string; readonly url: string };
  /** The page of the job. */
  readonly page?: string;
}

/** A document that is written while its records are read. */
export interface RecordStream {
  readonly head: string;
  readonly records: AsyncIterable<JsonObject>;
  readonly line: (record: JsonObject) => string;
}

export type Palette = Readonly<Record<Exclude<Tone, 'aside' | 'caution'>, Paint>>;
export type Paint = (text: string) => string;

/** The place of a remark without one, in a format that requires one. */
export function placeOfNothing(view: Pick<View, 'repositoryFile'>): Place {
  return { file: repositoryFile({ file: 'flagwright.yaml' }, view), line: 1, column: 1 };
}

/** The file of a place as the annotations of a CI job name it. */
export function repositoryFile({ file }: Pick<Place, 'file'>, view: Pick<View, 'repositoryFile'>): string {
  return view.repositoryFile?.(file) ?? file;
}

const same: Paint = (text) => text;

/** Has no colors: for files, pipes, `NO_COLOR`. */
export const PLAIN: Palette = {
  add: same,
  change: same,
  remove: same,
  strong: same,
  dim: same,
  warning: same,
  error: same,
};

/** GitHub accepts 65,536 characters. The rest is for the words that a workflow adds. */
export const GITHUB_COMMENT = 64_000;

/** GitLab accepts a million. */
export const GITLAB_COMMENT = 990_000;
