/** Declares live resources that no manifest names: each in the file of its neighbors, or in a new file. */

import { comparing } from '../../base/compare-strings.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import type { Place } from '../../base/place.ts';
import { parseManifest } from '../../posthog/manifests/manifests.ts';
import { toEditingContext } from '../context.ts';
import type { FileEdit, LeftFlag, ManifestText } from '../edit.ts';
import type { DeclareInput, Declaring, EditCandidate } from '../facet.ts';
import { reasonOf, solve, type ProofAttempt } from '../solve.ts';
import { changedTexts, editTexts, fileIn } from '../texts.ts';
import { facetFor } from './facets.ts';

export interface DeclaredUnmanaged {
  readonly edited: readonly ManifestText[];
  /** New files, in the folder. */
  readonly files: readonly ManifestText[];
  readonly added: readonly { readonly key: string; readonly place: Place }[];
  readonly left: readonly LeftFlag[];
}

/** Proves on the texts that existing declarations keep their meaning in every project and that a plan changes nothing of the new ones. */
export function declareUnmanaged(input: DeclareInput): DeclaredUnmanaged {
  const context = toEditingContext(input);
  const declaring = { ...input, context };
  const facet = facetFor(input);
  const { kind } = facet;
  const { open: all, left: unidentified } = facet.identify(declaring);
  const { made, after, left } = solve<LeftFlag, DeclareAttempt>(context, {
    write: ({ isLeft }) =>
      tryDeclare(
        declaring,
        all.filter(({ key }) => !isLeft(key)),
      ),
    unmet: (read, { candidates }) =>
      facet.findDiffering(declaring, read, candidates).map((key) => ({ key, reason: { code: 'reads-differently' } })),
    // Without `only_in`, every project declares it.
    isAsked: (name, _project, { candidates }) => candidates.some(({ declared }) => kind.nameOf(declared) === name),
    toFailed: (key, fault) => ({ key, reason: reasonOf(fault) }),
  });
  const added = made.candidates.flatMap(({ declared }) => {
    const key = kind.nameOf(declared);
    const place = after.declarations.get(key)?.places.place;
    return place === undefined ? [] : [{ key, place }];
  });
  const byKey = comparing(({ key }: { readonly key: string }) => key);
  return {
    edited: changedTexts(context.manifests, made.texts),
    files: made.added,
    added: added.toSorted(byKey),
    left: [...unidentified, ...left].toSorted(byKey),
  };
}

interface DeclareAttempt extends ProofAttempt<LeftFlag> {
  readonly candidates: readonly EditCandidate[];
  /** The new files. */
  readonly added: readonly ManifestText[];
}

function tryDeclare(declaring: Declaring, candidates: readonly EditCandidate[]): DeclareAttempt {
  const { context, folder } = declaring;
  const { manifests, read } = context;
  const facet = facetFor(declaring);
  const { files, left } = facet.exported(declaring, candidates);
  // The declarations of the exported files, as members of the files that declare their neighbors.
  const edits = files.flatMap(({ path, text }) =>
    parseManifest(path, text).file.declarations.flatMap(({ key, value }): FileEdit[] => {
      const home = facet.homeOf(key, read);
      if (home === undefined) return [];
      return [{ file: home.file, edit: { path: [facet.kind.section, key], value, beside: fromPointer(home.path) } }];
    }),
  );
  const { texts, refused } = editTexts(manifests, edits);
  const written = edits.filter(({ edit }) => !refused.some((one) => one.edit === edit));
  const atHome = new Set(written.map(({ edit }) => String(edit.path[1])));
  const homeless = candidates.filter(({ declared }) => !atHome.has(declared));
  const anew = homeless.length === 0 ? [] : facet.exported(declaring, homeless).files;
  const added = anew.map(({ path, text }) => ({ file: fileIn(folder, path), text }));
  return { open: candidates.map(({ key }) => key), candidates, added, texts: [...texts, ...added], failed: left };
}
