/** Remarks as annotations of GitHub, and a line about the whole. */

import { escapeLine, placeText, quoteShort } from '../../escape.ts';
import {
  messageText,
  nameOfRule,
  wholeText,
  REMARK_LEVELS,
  type Remark,
  type RemarkLevel,
} from '../../model/remarks/remark.ts';
import type { RemarkList } from '../remarks/forms.ts';
import { countNamed } from '../../words/amounts.ts';
import { listedWithin } from '../remarks/listed.ts';

const COMMANDS: Readonly<Record<RemarkLevel, string>> = { error: 'error', warning: 'warning', note: 'notice' };

/** GitHub shows the first ten of each command in a step; the others are in its log. */
const MOST_OF_LEVEL = 50;

/** The gravest first; those of one level keep their order. */
export function annotations({ remarks, summary }: RemarkList): string {
  const shown = listedWithin(foldAlike(remarks), {
    total: REMARK_LEVELS.length * MOST_OF_LEVEL,
    ofSort: MOST_OF_LEVEL,
  });
  const sorted = REMARK_LEVELS.flatMap((level) => shown.filter((remark) => remark.level === level));
  const lines = [...sorted.map(annotation), ...(summary === undefined ? [] : [summary])];
  return lines.map((line) => `${line}\n`).join('');
}

/** GitHub shows the first ten of each command: if there are more, what one rule says of several resources is one annotation. */
const MOST_SHOWN = 10;

function foldAlike(remarks: readonly Remark[]): readonly Remark[] {
  const crowded = REMARK_LEVELS.filter((wanted) => remarks.filter(({ level }) => level === wanted).length > MOST_SHOWN);
  const alike = new Map<unknown, Remark[]>();
  for (const remark of remarks) {
    const key = (crowded.includes(remark.level) ? sayingOf(remark) : undefined) ?? remark;
    const group = alike.get(key);
    if (group === undefined) alike.set(key, [remark]);
    else group.push(remark);
  }
  return [...alike.values()].flatMap((group) => (group.length < 2 ? group : [folded(group)]));
}

/** The same for remarks that say the same of their resource. */
function sayingOf(remark: Remark): string | undefined {
  const { family, rule, level, afterName } = remark;
  return afterName === undefined
    ? undefined
    : [family, rule, level, wholeText({ ...remark, text: afterName })].join('\n');
}

function folded(alike: readonly Remark[]): Remark {
  const [first] = alike as [Remark];
  const names = alike.flatMap(({ name }) => name ?? []);
  const listed = alike.map(({ name = '', place }) =>
    place === undefined ? quoteShort(name) : `${quoteShort(name)} ${placeText(place)}`,
  );
  const text = `Each of these ${countNamed([...new Set(names)])}${first.afterName ?? ''}`;
  return { ...first, text, aside: `They are: ${listed.join(', ')}.` };
}

function annotation(remark: Remark): string {
  const { level, place } = remark;
  const where = place === undefined ? {} : { file: place.file, line: `${place.line}`, col: `${place.column}` };
  const properties = Object.entries({ ...where, title: nameOfRule(remark) });
  const listed = properties.map(([name, value]) => `${name}=${escapeProperty(value)}`);
  return `::${COMMANDS[level]} ${listed.join(',')}::${escapeData(messageText(remark))}`;
}

/** GitHub decodes `%0A` and the like, so a literal `%` is encoded. Line breaks are visible escapes already. */
function escapeData(text: string): string {
  return escapeLine(text).replaceAll('%', '%25');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
