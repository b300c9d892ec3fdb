/** What `init` writes: a configuration, a first manifest, and pipelines for GitHub and GitLab. */

import { GITHUB_WORKFLOW } from './template-github.ts';
import { GITLAB_PIPELINE } from './template-gitlab.ts';

export interface Template {
  /** Relative to the folder that `init` is for, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** A project of a real service, as it stands in flagwright.yaml; all members are checked. */
export interface InitialProject {
  readonly name: string;
  readonly host: string;
  readonly projectId: string;
}

export const CONFIGURATION_FILE = 'flagwright.yaml';

export function templatesFor(project?: InitialProject): readonly Template[] {
  return [
    { path: CONFIGURATION_FILE, text: configuration(project) },
    { path: 'flags/example.yaml', text: MANIFEST },
    { path: '.github/workflows/flags.yml', text: GITHUB_WORKFLOW },
    { path: '.gitlab/flags.gitlab-ci.yml', text: GITLAB_PIPELINE },
  ];
}

const EXAMPLE: InitialProject = { name: 'production', host: 'https://us.posthog.com', projectId: '5678' };

function configuration(project: InitialProject | undefined): string {
  const { name, host, projectId } = project ?? EXAMPLE;
  const entry = [`  ${JSON.stringify(name)}:`.replaceAll('"', isPlain(name) ? '' : '"')];
  entry.push(`    host: ${host}`, `    project_id: "${projectId}"`, '    api_key_env: POSTHOG_API_KEY');
  const lines =
    project === undefined ? ['', ...entry].map((line) => line.replace(/^(?: {2})?/, '  # ').trimEnd()) : entry;
  return CONFIGURATION.replace('$PROJECT', () => lines.join('\n'));
}

/** YAML reads such a name as a text; others could be numbers or words with a meaning. */
function isPlain(name: string): boolean {
  return /^[a-z]{5,}[a-z0-9-]*$/.test(name) && name !== 'false';
}

const CONFIGURATION = `# yaml-language-server: $schema=./node_modules/flagwright/schemas/config.schema.json

manifests: [flags/**/*.yaml]

projects:
  # The embedded service needs no account. It keeps its flags in .flagwright/, which belongs into .gitignore.
  local: { service: embedded }

  # A real project. The key comes from the environment, never from a file: a personal API key with the scope
  # feature_flag:write, or feature_flag:read where only plan and drift run.
$PROJECT

# The project that is meant where a command does not say --project.
default_project: local

# Flags that are in no manifest: which of them \`drift\` reports and \`--prune\` may delete.
# scope: { include: ["*"], exclude: ["survey-*"] }

# Flags that are never deleted or disabled without --allow-protected.
# protected: ["billing-*"]
`;

const MANIFEST = `# yaml-language-server: $schema=../node_modules/flagwright/schemas/manifest.schema.json

# What a manifest declares is managed; what it leaves out is neither compared nor written.
# These two are for the project \`local\` alone: no other project gets them.
flags:
  example-rollout:
    only_in: [local]
    description: A tenth of everybody
    active: true
    rollout_percentage: 10

  example-experiment:
    only_in: [local]
    description: Employees, and a quarter of everybody else, in two variants
    active: true
    filters:
      groups:
        - properties:
            - { key: email, type: person, operator: icontains, value: "@example.com" }
          rollout_percentage: 100
        - rollout_percentage: 25
      multivariate:
        variants:
          - { key: control, rollout_percentage: 50 }
          - { key: test, rollout_percentage: 50 }
      payloads:
        test: { color: red }
`;
