/** The name of the ref that records the commit that was last applied to a project. */

import { basename } from 'node:path';
import type { Config } from '../../config/config.ts';
import type { Repository } from '../../git/repository.ts';

const FOLDER = 'refs/flagwright/applied/';

/**
 * A repository may have several configurations with projects of the same name, so the folder of the configuration and its name
 * precede that of the project, unless it is flagwright.yaml at the top. Without a configuration there is no ref: the
 * environment may call any project the same.
 */
export function appliedRef(
  { file }: Pick<Config, 'file'>,
  project: { readonly name: string },
  { prefix }: Pick<Repository, 'prefix'>,
): string | undefined {
  if (file === undefined) return undefined;
  const name = basename(file);
  const parts = [prefix, /^flagwright\.ya?ml$/.test(name) ? '' : name, project.name];
  return `${FOLDER}${encode(parts.filter((part) => part !== '').join('/'))}`;
}

/** Characters that git allows anywhere in a name stay; others become `%` and the bytes. A `/` would forbid the name before it. */
function encode(name: string): string {
  const bytes = (text: string): string => Buffer.from(text).toString('hex').toUpperCase().replaceAll(/../g, '%$&');
  return name.replaceAll(/[^\w.-]|\.(?=\.|$|lock$)|^[.-]/gu, bytes);
}
