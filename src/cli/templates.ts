/** What `init` writes: a configuration, a first manifest, and pipelines for GitHub and GitLab. */

import { GITHUB_WORKFLOW } from './template-github.ts';
import { GITLAB_PIPELINE } from './template-gitlab.ts';

export interface Template {
  /** Relative to the folder that `init` is for, with `/`. */
  readonly path: string;
  readonly text: string;
}

const CONFIGURATION = `# yaml-language-server: $schema=./node_modules/flaghoist/schemas/config.schema.json

manifests: [flags/**/*.yaml]

projects:
  # The embedded service needs no account. It keeps its flags in .flaghoist/, which belongs into .gitignore.
  local: { service: embedded }

  # A real project. The key comes from the environment, never from a file: a personal API key with the scope
  # feature_flag:write, or feature_flag:read where only plan and drift run.
  #
  # production:
  #   host: https://us.posthog.com
  #   project_id: "5678"
  #   api_key_env: POSTHOG_API_KEY

# The project that is meant where a command does not say --project.
default_project: local

# Flags that are in no manifest: which of them \`drift\` reports and \`--prune\` may delete.
# scope: { include: ["*"], exclude: ["survey-*"] }

# Flags that are never deleted or disabled without --allow-protected.
# protected: ["billing-*"]
`;

const MANIFEST = `# yaml-language-server: $schema=../node_modules/flaghoist/schemas/manifest.schema.json

# What a manifest declares is managed; what it leaves out is neither compared nor written.
flags:
  example-rollout:
    description: A tenth of everybody
    active: true
    rollout_percentage: 10

  example-experiment:
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

export const TEMPLATES: readonly Template[] = [
  { path: 'flaghoist.yaml', text: CONFIGURATION },
  { path: 'flags/example.yaml', text: MANIFEST },
  { path: '.github/workflows/flags.yml', text: GITHUB_WORKFLOW },
  { path: '.gitlab/flags.gitlab-ci.yml', text: GITLAB_PIPELINE },
];
