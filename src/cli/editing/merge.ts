/** `flagwright export --merge`: adds the differences of a project to the existing manifests. */

import path from 'node:path';
import { defined } from '../../base/optional.ts';
import { mergeNamed, mergeProject } from '../../editing/actions/merge.ts';
import { withIds } from '../../posthog/reading/found-names.ts';
import {
  type ExportInputs,
  findAliases,
  type PreparedExport,
  readToMerge,
  withDependencies,
} from '../manifests/export-read.ts';
import { nameInConfiguration } from '../manifests/save-edits.ts';
import { identityOf, withProject } from '../project/open-project.ts';
import { findRecorded } from '../runs/find-recorded.ts';
import type { FileWrite } from '../session/files.ts';
import type { Session } from '../session/session.ts';
import { nameRoles, readManifestTexts } from './manifest-texts.ts';

export async function mergeExport(session: Session, inputs: ExportInputs): Promise<PreparedExport> {
  const { loaded, options, writing, onUnlisted } = inputs;
  const { project } = loaded;
  const { config, files, texts } = await readManifestTexts(loaded.config);
  const find = async (keys: readonly string[]): ReturnType<typeof findRecorded> =>
    findRecorded(session, identityOf(project), keys);
  const source = { config, project, files, onUnlisted, findRecorded: find };
  const { live, keys, roles, merging, ...added } = await withProject(session, { project }, async ({ client }) => {
    const read = await readToMerge(client, source, options);
    const checking = { project: project.name, ...defined({ onMisses: session.onMisses }) };
    const targets = options.target && withDependencies(read.flags, options.target, checking);
    const named = mergeNamed({
      live: read,
      project,
      projects: Object.values(config.projects),
      manifests: texts,
      ...defined({ keys: targets }),
    });
    const { roles: known } = await nameRoles(loaded, texts, client);
    const found = withIds(project, named.found);
    const input = { ...read, names: found, ...defined({ keys: targets }) };
    const aliases = await findAliases({ ...loaded, project: found, client, files }, input, options);
    return { live: read, keys: targets, roles: known, merging: named, ...aliases };
  });
  const named = await nameInConfiguration(session, { config, project }, added);
  const own = withIds(named.project, { roles, ...merging.found });
  const projects = Object.values(named.config.projects);
  const withRoleAccess = options.roleAccess === true;
  const { folder = '' } = writing;
  const { edited, overlaid, limited, notMerged, ...exported } = mergeProject(
    { live, withRoleAccess, project: own, projects, manifests: texts, folder, named: merging, ...defined({ keys }) },
    writing,
  );
  const before = new Map(texts.map(({ file, text }) => [file, text]));
  const nameOf = (file: string): string =>
    path.relative(session.context.cwd, path.join(config.root, file)).split(path.sep).join('/');
  const edits = edited.map(({ file, text }): FileWrite => ({
    file: nameOf(file),
    text,
    ...defined({ before: before.get(file) }),
  }));
  const created = exported.files.map(({ path: name, text }): FileWrite => {
    return { file: path.join(options.dir, name), text, before: null };
  });
  return { exported, writes: [...edits, ...created], named, merged: { overlaid, limited, notMerged } };
}
