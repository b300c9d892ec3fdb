/** The sentences about code that reads what a plan changes. */

import type { CodeReads, ReadingPlace } from '../../engine/safety.ts';
import type { ReadLoss, Readers } from '../../references/losses.ts';
import { placeText } from '../escape.ts';
import { count } from './amounts.ts';
import { filesText, gapText, sourceText } from './references.ts';

/** `src/app.ts:12:5, src/page.ts:3:1 and 4 more`. */
export function readsText({ count: all, places }: CodeReads): string {
  const named = places.map(({ place, ...of }) => `${sourceText(of)}${placeText(place)}`).join(', ');
  return all > places.length ? `${named} and ${all - places.length} more` : named;
}

/** `undefined` if nothing was found. */
export function readLossText(loss: ReadLoss): string | undefined {
  const { hidden, edited } = loss;
  const texts = [foundText(loss), hidden && hiddenText(hidden), edited && editedText(edited)];
  return texts.some((text) => text !== undefined) ? texts.filter((text) => text !== undefined).join('; ') : undefined;
}

function foundText({ verdict, searched, references, indirect, ...loss }: ReadLoss): string | undefined {
  const certain = references.filter((one) => one.certain);
  if (certain.length > 0) return `code reads it at ${placesText(certain)}${variantsText(loss, certain)}`;
  if (references.length > 0) return `code may read it at ${placesText(references)}${variantsText(loss, references)}`;
  if (indirect.length > 0) return `${count(indirect.length, 'place')} of code may make its key at run time`;
  if (!searched) return 'it is not known whether code reads it: not all code was searched for this key';
  return verdict === 'possible' ? 'its key is an ordinary word, which code uses' : undefined;
}

function hiddenText(files: readonly string[]): string {
  const them = files.length === 1 ? 'it' : 'them';
  return `${filesText(files)} read it before, and this change takes ${them} out of the search, so nobody knows whether code still reads it`;
}

function editedText(files: readonly string[]): string {
  return `${filesText(files)} named it before, and this change edits that, so nobody knows whether code still reads it`;
}

function placesText(found: readonly ReadingPlace[]): string {
  return readsText({ count: found.length, places: found.slice(0, MOST_PLACES) });
}

const MOST_PLACES = 3;

/** Names only the lines that name a variant: the others prove nothing. */
function variantsText({ variants = [] }: Pick<ReadLoss, 'variants'>, found: ReadLoss['references']): string {
  const naming = found.filter((one) => one.variants !== undefined);
  if (variants.length === 0 || naming.length === 0) return '';
  const what = variants.length === 1 ? 'the variant that goes' : 'a variant that goes';
  return `; ${naming.length === 1 ? 'this line names' : 'these lines name'} ${what}: ${placesText(naming)}`;
}

/** The statement that some code was not searched; `undefined` if all was. */
export function unsearchedText({ gaps }: Readers): string | undefined {
  if (gaps.length === 0) return undefined;
  const shown = gaps.slice(0, MOST_GAPS).map(gapText);
  const hidden = gaps.length - shown.length;
  const more = hidden === 0 ? '' : `; and ${count(hidden, 'more reason')}`;
  return `Not all code was searched, so more may read what changes (${shown.join('; ')}${more})`;
}

const MOST_GAPS = 3;
