/** Declares live flags that no manifest names: each in the file of the flags with its prefix. */

import { defined } from '../../base/optional.ts';
import { writeManifests } from '../../export/write-manifests.ts';
import { groupFiles, MIXED_FILE } from '../../manifest/write/group-files.ts';
import type { EditCandidate, DeclareFacet, Declaring } from '../facet.ts';
import { EDITED } from '../kinds.ts';
import { commonestHome, type DeclaredIn, type ReadTexts } from '../texts.ts';
import { findDifferences } from './merge.ts';

export const FLAG_DECLARING: DeclareFacet = {
  identify: ({ keys }) => ({ open: [...keys].map((key) => ({ key, declared: key })), left: [] }),
  exported: exportFlags,
  homeOf,
  findDiffering: ({ context }, after, open) => [
    ...findDifferences(context, after, (key) => open.some((one) => one.key === key)).keys(),
  ],
};

function exportFlags(
  { context, withRoleAccess, writing }: Declaring,
  open: readonly EditCandidate[],
): ReturnType<DeclareFacet['exported']> {
  const { flags, roleAccess, organization } = context.live;
  const access = { roleAccess: withRoleAccess ? roleAccess : undefined, ...defined({ organization }) };
  const keys = new Set(open.map(({ key }) => key));
  const { files, leftOut } = writeManifests({ flags, ...access, names: context.project, keys }, writing);
  const left = leftOut.map(({ key, reasons }) => ({ key, reason: { code: 'not-exportable', reasons } as const }));
  return { files, left };
}

/**
 * A flag of the file that holds most of those that an export would put together with this one. For a flag that shares no prefix, only a file that
 * an export made counts.
 */
function homeOf(key: string, { declarations }: ReadTexts): DeclaredIn | undefined {
  const flags = [...declarations].flatMap(([name, { section }]) => (section === EDITED.flags.section ? name : []));
  const groups = groupFiles([...flags, key], 'prefix');
  const [group, neighbours = []] = [...groups].find(([, keys]) => keys.includes(key)) ?? [];
  const known = neighbours.flatMap((one) => declarations.get(one) ?? []);
  return commonestHome(known.filter(({ file }) => group !== MIXED_FILE || `/${file}`.endsWith(`/${MIXED_FILE}`)));
}
