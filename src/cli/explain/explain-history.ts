/** Finds who changed lines of manifests last, in the checkout around the configuration. */

import path from 'node:path';
import type { Config } from '../../config/config.ts';
import type { Place } from '../../base/place.ts';
import { blameLines } from '../../git/blame.ts';
import type { HistoryFacts, LineFacts } from '../../report/explained.ts';
import { noBaseText } from '../../report/words/base.ts';
import type { Session } from '../session/session.ts';
import { whyNotOpen, withCheckout } from '../base/checkout.ts';

export interface Blamed {
  readonly history: HistoryFacts;
  /** `undefined` without a history. */
  lineOf(place: Place): LineFacts | undefined;
}

/** One process for each file. */
export async function blameValues(
  session: Session,
  config: Config,
  values: readonly { readonly place: Place }[],
): Promise<Blamed> {
  return withCheckout(session, config, async (checkout) => {
    const opened = await checkout.opened;
    if (opened.kind !== 'open') {
      return { history: { kind: 'none', reason: noBaseText(whyNotOpen(opened)) }, lineOf: () => undefined };
    }
    const { repository } = opened;
    const files = [...new Set(values.map(({ place }) => place.file))];
    const found = await Promise.all(
      files.map(async (file) => {
        const ofFile = values.filter(({ place }) => place.file === file);
        const lines = [...new Set(ofFile.map(({ place }) => place.line))];
        return [file, await blameLines(repository, path.normalize(file), lines)] as const;
      }),
    );
    const byFile = new Map(found);
    return { history: { kind: 'read' }, lineOf: ({ file, line }) => byFile.get(file)?.get(line) };
  });
}
