/** One remark of a report about one place: for formats that show a list next to the lines of files. */

import type { Place } from '../../../base/place.ts';
import type { WrittenOrigin } from '../../../engine/safety.ts';
import { cutEscaped, quoteShort } from '../../escape.ts';
import { writtenText } from '../../words/hazards.ts';
import { phraseOf, plainText, spansOf, type ValueQuote } from '../../phrase.ts';

export interface Remark {
  /** The family of the rule; `rule` is unique within. */
  readonly family: RemarkFamily;
  readonly rule: string;
  readonly level: RemarkLevel;
  /** Whether the command exits with another code than 0 because of it, whatever its family and level are. */
  readonly counts?: true;
  /** One sentence or more; strings of others are escaped. */
  readonly text: string;
  /** The text after the name that it begins with: what it says of this resource, and may say of others. */
  readonly afterName?: string;
  /** The number of people concerned. The same change may affect another number in another run. */
  readonly impact?: RemarkImpact;
  /** How to fix it. */
  readonly remedy?: string;
  /** The place of the rule. It may move while the remark stays the same, so no fingerprint depends on it. */
  readonly source?: string | WrittenOrigin;
  /** Text that differs in each run, so no fingerprint depends on it either. */
  readonly aside?: string;
  /** Absent if no line of a manifest asks for it. */
  readonly place?: Place;
  /** The name of the resource, if it is about one. */
  readonly name?: string;
  /** What it is about, in words that are the same in each run, where that is not the name. */
  readonly subject?: string;
}

/** A sentence about the resource with the name. */
export function sentenceOf(
  name: string | undefined,
  write: (quote: ValueQuote) => string,
): Pick<Remark, 'text' | 'afterName'> {
  const phrase = phraseOf(write);
  const [before, first, ...rest] = spansOf(phrase);
  const isFirst = before === '' && typeof first === 'object' && 'value' in first && first.value === name;
  return { text: plainText(phrase), ...(isFirst ? { afterName: plainText(rest) } : {}) };
}

export interface RemarkImpact {
  /** Short; ends with a full stop. */
  readonly sentence: string;
  /** Everything that is known. */
  readonly lines: readonly string[];
}

/**
 * `problem`: of manifests and the configuration, by the codes of diagnostics; `failure`: of a whole run, by its error code;
 * `report`: about the list itself.
 */
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
  | 'test'
  | 'refs'
  | 'report';

/** `note`: information for a reviewer that requires no change. The gravest first. */
export type RemarkLevel = (typeof REMARK_LEVELS)[number];

export const REMARK_LEVELS = ['error', 'warning', 'note'] as const;

/** The name of the rule in other programs: the codes of problems and failures are names already. */
export function nameOfRule({ family, rule }: Pick<Remark, 'family' | 'rule'>): string {
  return family === 'problem' || family === 'failure' ? rule : `${family}/${rule}`;
}

/** The same in each run in which the rule has something to say about the same: without values, counts and times. */
export function lastingName(remark: Remark): string {
  const { family, name, subject = name === undefined ? undefined : quoteShort(name) } = remark;
  // A change has one name, whatever becomes of it.
  if (family === 'outcome' && subject !== undefined) return subject;
  return subject === undefined ? nameOfRule(remark) : `${nameOfRule(remark)}: ${subject}`;
}

/** The text with how many people it concerns, with its remedy, and with where the rule is. */
export function wholeText({ text, impact, remedy, aside, source }: Remark): string {
  return join([text, impact?.sentence, remedy, aside, typeof source === 'object' ? writtenText(source) : source]);
}

/** The beginning of it. */
export function messageText(remark: Remark): string {
  return cutSentence(wholeText(remark));
}

/** Limits a sentence for a list next to the lines of files: a string of others may be long. */
export function cutSentence(text: string): string {
  return cutEscaped(text, MESSAGE_LENGTH);
}

/** Longer than any remark about short strings. */
const MESSAGE_LENGTH = 2000;

/** The part of it that is the same in every run. */
export function lastingText({ text, remedy }: Remark): string {
  return join([text, remedy]);
}

function join(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(' ');
}
