/** The configuration as written in the file: the members of schemas/config.schema.json, which has checked them. */

import type { BaseConfig, Config, Limits, RefsConfig, RefsSource } from './config.ts';
import type { WrittenOwnership } from './ownership.ts';
import type { WrittenPolicies } from './policies.ts';

export interface WrittenConfig {
  readonly manifests?: readonly string[];
  readonly tests?: readonly string[];
  readonly default_project?: string;
  readonly projects?: Readonly<Record<string, WrittenProject | null>> | null;
  readonly scope?: { readonly include?: readonly string[]; readonly exclude?: readonly string[] };
  readonly limits?: Partial<Limits>;
  readonly protected?: readonly string[];
  readonly drift?: Config['drift'];
  readonly base?: BaseConfig;
  readonly rollouts?: { readonly every?: string };
  readonly refs?: Partial<Omit<RefsConfig, 'sources'>> & { readonly sources?: readonly WrittenSource[] };
  readonly ownership?: readonly WrittenOwnership[];
  readonly policies?: WrittenPolicies;
}

interface WrittenSource extends Omit<RefsSource, 'maxAgeDays'> {
  readonly max_age_days?: number;
}

export interface WrittenProject {
  readonly service?: 'remote' | 'embedded';
  readonly host?: string;
  readonly project_id?: string | number;
  readonly api_key_env?: string;
  readonly roles?: Readonly<Record<string, string>> | null;
  readonly cohorts?: Readonly<Record<string, number>> | null;
  readonly requests_per_minute?: number;
  readonly profile?: 'documented' | 'posthog';
}
