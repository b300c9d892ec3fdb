/** Reads the configuration and the manifests of a project for tests, and reads them again when they change. */

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defined } from '../base/optional.ts';
import { INSTANT_REMEDY, parseInstant } from '../base/times.ts';
import { quoted } from '../base/wording.ts';
import { startTimer, type Timer } from '../base/timer.ts';
import type { Config, Environment, ProjectConfig } from '../config/config.ts';
import { lendNames } from '../config/embedded-names.ts';
import { loadConfig } from '../config/load.ts';
import { selectProject } from '../config/select.ts';
import { createAnswers } from '../review/expectations/answers.ts';
import { createMarks, readMarks, type MarkFiles } from '../core/manifest/file-marks.ts';
import { resolveDesired } from '../posthog/manifests/load.ts';
import {
  declaredCohorts,
  findNamedFiles,
  readManifests,
  resolveProject,
  overTime,
} from '../posthog/manifests/manifests.ts';
import { DEFAULT_STEPS_EVERY } from '../core/rollout/read-rollout.ts';
import type { DeclaredFlags, LoadFlagsOptions } from './api.ts';
import { createDeclaredFlags, type LoadedFlags, usageError, withPlaces } from './declared-flags.ts';
import { generationOf } from './generation-of.ts';

/**
 * The flags that the manifests declare for one project.
 * @throws {FlagwrightError} `config_invalid` or `manifest_invalid`; the message has a line for each problem, with its place.
 */
export async function loadFlags(options: LoadFlagsOptions = {}): Promise<DeclaredFlags> {
  const { watch = false } = options;
  const markFiles = createMarks(findNamedFiles);
  const find: FindMarks = () => findMarks(options, markFiles);
  let marks = watch === false ? '' : await find();
  const now = readClock(options);
  let flags = await load(options, now);
  const look = async (latest: string): Promise<void> => {
    if (latest === marks) return;
    marks = latest;
    flags = await load(options, now);
  };
  return createDeclaredFlags({
    current: (at = now()) => flags(at),
    now,
    reload: async () => {
      flags = await load(options, now);
    },
    close: watch === false ? () => undefined : follow(watch, find, look),
  });
}

/** @throws {FlagwrightError} `usage` for two times, or one that cannot be read. */
function readClock({ at, now }: LoadFlagsOptions): () => Date {
  if (at === undefined) return now ?? (() => new Date());
  if (now !== undefined) throw usageError('`at` and `now` cannot be used together.', 'Leave one of them out.');
  const time = typeof at === 'string' ? parseInstant(at) : at.getTime();
  if (time !== undefined && !Number.isNaN(time)) return () => new Date(time);
  throw usageError(`\`at\` is not a time with an offset: ${quoted(String(at))}.`, INSTANT_REMEDY);
}

type FlagsAt = (at: Date) => LoadedFlags;

/** Manifests with errors reject here, at any time. */
async function load(options: LoadFlagsOptions, now: () => Date): Promise<FlagsAt> {
  try {
    const config = await readConfiguration(options);
    const { project: name = environmentOf(options)['FLAGWRIGHT_PROJECT'] || undefined } = options;
    const chosen = selectProject(config, name);
    const { root, manifests: patterns } = config;
    const read = await readManifests({ root, patterns });
    const project = lendNames(chosen, config, declaredCohorts(read.files, chosen));
    const { stepsEvery: every = DEFAULT_STEPS_EVERY } = config;
    const at = (time: number): ProjectConfig => ({
      ...project,
      moment: { now: time, progress: [], reach: 'planned', every },
    });
    const allProjects = Object.keys(config.projects);
    await resolveDesired(read, { project: at(now().getTime()), allProjects });
    const flagsAt = overTime(read.files, (time) => {
      const { desired } = resolveProject({ files: read.files, project: at(time), allProjects });
      const surroundings = { generation: generationOf(project) };
      return {
        flags: new Map(desired.flags.map((flag) => [flag.key, flag])),
        ask: createAnswers({ project, desired, surroundings }),
        known: {
          project: project.name,
          cohorts: new Set([...Object.keys(project.cohorts), ...(desired.cohorts ?? []).map(({ key }) => key)]),
          groupTypes: options.groupTypes ?? {},
          people: new Map((options.people ?? []).map((person) => [person.id, person])),
        },
      };
    });
    return (time) => flagsAt(time.getTime());
  } catch (error) {
    throw withPlaces(error);
  }
}

async function readConfiguration(options: LoadFlagsOptions): Promise<Config> {
  const { cwd = process.cwd(), config: file } = options;
  const folder = path.resolve(cwd instanceof URL || cwd.startsWith('file:') ? fileURLToPath(cwd) : cwd);
  const { config } = await loadConfig({
    cwd: folder,
    env: environmentOf(options),
    offline: true,
    ...defined({ file }),
  });
  return config;
}

function environmentOf({ env = process.env }: LoadFlagsOptions): Environment {
  return env;
}

const POLL_MS = 250;

/** Calls `look` with the marks of the files where they change. The returned function ends that. */
function follow(
  watch: Exclude<LoadFlagsOptions['watch'], false | undefined>,
  find: FindMarks,
  look: (marks: string) => Promise<void>,
): () => void {
  const onError = watch === true ? (error: Error) => process.emitWarning(error) : watch.onError;
  let last: string | undefined;
  let timer: Timer;
  let isClosed = false;
  const wait = (): void => {
    timer = startTimer(POLL_MS, () => void next(), { unref: true });
  };
  const next = async (): Promise<void> => {
    const marks = await find();
    // A save may empty a file before it fills it, so a change counts only once two looks in a row find the same.
    const isSettled = marks === last;
    last = marks;
    if (isSettled && !isClosed) await look(marks).catch(onError);
    if (!isClosed) wait();
  };
  wait();
  return () => {
    isClosed = true;
    timer.cancel();
  };
}

type FindMarks = () => Promise<string>;

/** A string that changes whenever the configuration, a manifest or a file that it names does. A faulty configuration is a state like any other. */
async function findMarks(options: LoadFlagsOptions, markFiles: MarkFiles): Promise<string> {
  try {
    const { root, file, manifests } = await readConfiguration(options);
    const own = file === undefined ? [] : [path.basename(file)];
    return (await Promise.all([readMarks(root, own), markFiles(root, manifests)])).join('\n');
  } catch (error) {
    return String(error);
  }
}
