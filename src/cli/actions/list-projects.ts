/** `flagwright projects`: the projects of the configuration, without contacting the service. */

import type { JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { ProjectConfig } from '../../config/config.ts';
import { FORMAT_VERSION } from '../../report/formats/json/seal.ts';
import type { ExitCode } from '../line/exit.ts';
import { readConfiguration } from '../project/load-project.ts';
import type { Session } from '../session/session.ts';

const COLUMNS: readonly string[] = ['name', 'service', 'host', 'project_id', 'api_key_env', 'after', 'default'];

export async function listProjects(session: Session): Promise<ExitCode> {
  const { config } = await readConfiguration(session, { offline: true });
  const projects = Object.values(config.projects).map((project) => ({
    ...recordOf(project),
    ...(project.name === config.defaultProject ? { default: true } : {}),
  }));
  await session.publish({
    kind: 'records',
    records: each(projects),
    columns: COLUMNS,
    about: { name: 'projects' },
    document: { format_version: FORMAT_VERSION, projects },
  });
  return 0;
}

/** A project whose address only the environment has, is one of a remote service without it. */
function recordOf(project: ProjectConfig): JsonObject {
  const { name, after } = project;
  if (project.service === 'embedded')
    return { name, service: project.isStandIn === true ? 'remote' : 'embedded', ...defined({ after }) };
  const { host, projectId, apiKeyVariable } = project;
  return {
    name,
    service: 'remote',
    host,
    project_id: projectId,
    api_key_env: apiKeyVariable,
    ...defined({ after }),
  };
}

async function* each(records: readonly JsonObject[]): AsyncGenerator<JsonObject> {
  yield* records;
}
