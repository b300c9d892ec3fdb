/** `flagwright validate [FILE…]`: checks the configuration and the manifests without contacting the service. */

import { hasErrors, sortDiagnostics, type Diagnostic } from '../../base/diagnostic.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import type { Config } from '../../config/config.ts';
import { loadConfig } from '../../config/load.ts';
import { cohortAliasesOf, flagKeysOf, readManifests, type ManifestFile } from '../../posthog/manifests/manifests.ts';
import type { ManifestDiagnostic } from '../../posthog/manifests/problems.ts';
import { isRefusal } from '../../policy/finding.ts';
import { unite } from '../../posthog/manifests/validate.ts';
import type { ReportOf } from '../../report/report.ts';
import type { ValidateOptions } from '../line/commands.ts';
import type { ExitCode } from '../line/exit.ts';
import type { ProjectJudgement } from '../stages/judge-manifests.ts';
import { createKnownFiles, type KnownFiles } from '../stages/known-files.ts';
import { refuseManifestsAsReports } from '../stages/load-project.ts';
import type { Session } from '../session/session.ts';
import { chooseProjects, relativeToRoot, resolveProjects, type ResolvedProject } from '../stages/resolve-projects.ts';

export async function validate(
  session: Session,
  files: readonly string[],
  options: ValidateOptions,
): Promise<ExitCode> {
  const result = await check(session, files, options);
  await session.publish({ kind: 'validation', ...result });
  if (hasErrors(result.diagnostics)) return 1;
  // An approval may still come.
  const findings = result.policies?.flatMap(({ judgement }) => judgement.findings) ?? [];
  return findings.some((finding) => isRefusal(finding) && finding.level === 'error') ? 4 : 0;
}

type Checked = Omit<ReportOf<'validation'>, 'kind'>;

async function check(session: Session, files: readonly string[], options: ValidateOptions): Promise<Checked> {
  const loaded = await load(session);
  if (loaded.config === undefined)
    return { files: 0, flags: 0, cohorts: 0, diagnostics: sortDiagnostics(loaded.diagnostics) };
  const { config } = loaded;
  session.places.root = config.root;
  await refuseManifestsAsReports(session, config);
  const { checkpoint } = session.interrupts;
  const known = createKnownFiles();
  const read = await readManifests({
    root: config.root,
    patterns: findPatterns(session, config, files),
    reportUnmatched: files.length === 0,
    checkpoint,
    onRead: known.remember,
  });
  const configured = files.length === 0 ? read.files : await readConfigured(session, config);
  const named = new Set(read.files.map(({ file }) => file));
  const others = configured.filter(({ file }) => !named.has(file));
  const projects = await resolveProjects(session, config, {
    files: [...read.files, ...others],
    projects: await chooseProjects(session, config),
  });
  const found = unite(projects.map(({ resolution }) => resolution));
  const flags = new Set(read.files.flatMap(flagKeysOf));
  const own = files.length === 0 ? found : found.filter(concernsFiles(read.files, flags));
  const diagnostics = sortDiagnostics([
    ...loaded.diagnostics,
    ...read.diagnostics,
    ...own,
    ...refuseUnmatched(read.files, configured, config.manifests),
  ]);
  const isSound = !hasErrors([...diagnostics, ...found]);
  const judged = isSound ? await judge(session, { config, projects, known, options }) : undefined;
  return {
    files: read.files.length,
    flags: flags.size,
    cohorts: new Set(read.files.flatMap(cohortAliasesOf)).size,
    diagnostics,
    ...defined({ policies: judged && (files.length === 0 ? judged : judged.map(onlyIn(named))) }),
  };
}

interface Resolved {
  readonly config: Config;
  readonly projects: readonly ResolvedProject[];
  readonly known: KnownFiles;
  readonly options: ValidateOptions;
}

/** Without policies or `--base`, git is not started: most runs are those of an editor. */
async function judge(
  session: Session,
  { options: { base: option, approvedBy = [] }, ...given }: Resolved,
): Promise<readonly ProjectJudgement[] | undefined> {
  if (given.config.policies === undefined && option === undefined) return undefined;
  const { judgeManifests } = await import('../stages/judge-manifests.ts');
  return judgeManifests(session, { ...given, approvedBy, ...defined({ option }) });
}

function onlyIn(names: ReadonlySet<string>): (judged: ProjectJudgement) => ProjectJudgement {
  return ({ project, judgement }) => {
    const findings = judgement.findings.filter(({ place }) => place !== undefined && names.has(place.file));
    return { project, judgement: { ...judgement, findings } };
  };
}

/** The named files may refer to flags of any other manifest. Problems of the others are not reported. */
async function readConfigured(
  { interrupts: { checkpoint } }: Session,
  { root, manifests }: Config,
): Promise<readonly ManifestFile[]> {
  return (await readManifests({ root, patterns: manifests, checkpoint })).files;
}

/** A named file that no pattern matches would pass here and then be ignored by every other command. */
function refuseUnmatched(
  named: readonly ManifestFile[],
  configured: readonly ManifestFile[],
  patterns: readonly string[],
): ManifestDiagnostic[] {
  const known = new Set(configured.map(({ file }) => file));
  return named
    .filter(({ file }) => !known.has(file))
    .map(({ file }) => ({
      code: 'file-unmatched',
      severity: 'error',
      place: { file, line: 1, column: 1 },
      args: { patterns },
    }));
}

/** A conflict between two places concerns the named files if one of the places is in them. */
function concernsFiles(
  named: readonly ManifestFile[],
  flags: ReadonlySet<string>,
): (diagnostic: ManifestDiagnostic) => boolean {
  const names = new Set(named.map(({ file }) => file));
  return ({ code, place, args }) =>
    (place !== undefined && names.has(place.file)) ||
    ('other' in args && typeof args.other !== 'string' && names.has(args.other.file)) ||
    (code === 'flag-depends-on-itself' && args.cycle.some((key) => flags.has(key)));
}

/** Diagnostics of the configuration join the report; other failures end the run. */
async function load({ context, options }: Session): Promise<{ config?: Config; diagnostics: readonly Diagnostic[] }> {
  const file = defined({ file: options.config });
  try {
    return await loadConfig({ cwd: context.cwd, env: context.env, offline: true, ...file });
  } catch (error) {
    if (error instanceof FlagwrightError && error.diagnostics.length > 0) return { diagnostics: error.diagnostics };
    throw error;
  }
}

function findPatterns(session: Session, config: Config, files: readonly string[]): readonly string[] {
  return files.length === 0 ? config.manifests : files.map((file) => relativeToRoot(session, config, file));
}
