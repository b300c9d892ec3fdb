/** Reads from git who declared each flag, and when the lines of its declaration changed last. */

import path from 'node:path';
import type { Config } from '../../config/config.ts';
import type { Place, PlaceTree } from '../../base/place.ts';
import { blameLines, type BlamedLine } from '../../git/blame.ts';
import type { Checkout } from '../applied/open-checkout.ts';
import type { Session } from '../session/session.ts';
import type { FlagOfProjects } from './stale-evidence.ts';

export interface BlamedFlag {
  /** The time of the newest line, in ISO 8601; absent if git does not know all lines. */
  readonly at?: string;
  /** The author of the line with the key. */
  readonly author?: string;
  readonly isUncommitted?: true;
}

/** Starts one process for each file, a few at a time; none if there is no git. */
export async function blameFlags(
  { session, checkout }: { readonly session: Session; readonly config: Config; readonly checkout: Checkout },
  flags: readonly FlagOfProjects[],
): Promise<ReadonlyMap<string, BlamedFlag>> {
  const opened = await checkout.opened;
  if (opened.kind !== 'open') return new Map();
  const places = flags.map((flag) => ({
    flag,
    places: [...flag.declared.values()].flatMap((one) => placesOf(one.places)),
  }));
  const files = [...new Set(places.flatMap((one) => one.places.map(({ file }) => file)))];
  const blamed = new Map<string, ReadonlyMap<number, BlamedLine>>();
  for (let from = 0; from < files.length; from += AT_ONCE) {
    await session.interrupts.breathe();
    await Promise.all(
      files.slice(from, from + AT_ONCE).map(async (file) => {
        const ofFile = places.flatMap((one) => one.places.filter((place) => place.file === file));
        const lines = [...new Set(ofFile.map(({ line }) => line))];
        blamed.set(file, await blameLines(opened.repository, path.normalize(file), lines));
      }),
    );
  }
  const lineAt = ({ file, line }: Place): BlamedLine | undefined => blamed.get(file)?.get(line);
  return new Map(
    places.flatMap(({ flag, places: all }) => (all.length === 0 ? [] : [[flag.key, summarise(all.map(lineAt))]])),
  );
}

const AT_ONCE = 4;

/** The first line is that of a key. */
function summarise(lines: readonly (BlamedLine | undefined)[]): BlamedFlag {
  const [first] = lines;
  const author = first?.kind === 'commit' ? { author: first.author.replace(/ ?<[^<>]*>$/, '') } : {};
  if (lines.some((line) => line?.kind === 'uncommitted')) return { ...author, isUncommitted: true };
  const times = lines.flatMap((line) => (line?.kind === 'commit' ? [line.at] : []));
  if (times.length < lines.length) return author;
  return { ...author, at: times.toSorted().at(-1) as string };
}

function placesOf({ place, children = {} }: PlaceTree): readonly Place[] {
  return [place, ...Object.values(children).flatMap(placesOf)];
}
