/** One thing that a report has to say about one place: for formats that show a list beside the lines of files. */

import type { Place } from '../../../base/place.ts';

export interface Remark {
  /** What kind of rule says it; `rule` is unique within. */
  readonly family: RemarkFamily;
  readonly rule: string;
  readonly level: RemarkLevel;
  /** One sentence or more; strings of others are escaped. */
  readonly text: string;
  /** What to do about it. */
  readonly remedy?: string;
  /** Absent where no line of a manifest asks for it. */
  readonly place?: Place;
  /** The name of the resource, if it is about one. */
  readonly name?: string;
}

/** `problem`: of manifests and the configuration, by the codes of diagnostics; `failure`: of a whole run, by its error code. */
export type RemarkFamily =
  | 'problem'
  | 'failure'
  | 'hazard'
  | 'policy'
  | 'effect'
  | 'warning'
  | 'drift'
  | 'outcome'
  | 'remainder'
  | 'undo'
  | 'test';

/** `note`: what a reviewer should know, and nobody has to change. The gravest first. */
export type RemarkLevel = (typeof REMARK_LEVELS)[number];

export const REMARK_LEVELS = ['error', 'warning', 'note'] as const;

/** How other programs know the rule: the codes of problems and failures are names already. */
export function nameOfRule({ family, rule }: Pick<Remark, 'family' | 'rule'>): string {
  return family === 'problem' || family === 'failure' ? rule : `${family}/${rule}`;
}

/** The text with its remedy. */
export function wholeText({ text, remedy }: Remark): string {
  return remedy === undefined ? text : `${text} ${remedy}`;
}
