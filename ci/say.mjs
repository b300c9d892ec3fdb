// What flagwright-ci itself says in the log of a job, outside documents.

export function sayError(env, message) {
  say(env, { level: 'error', message });
}

export function sayWarning(env, message) {
  say(env, { level: 'warning', message });
}

/** One line, in which nothing is a command to the log of a CI system. */
function say(env, { level, message }) {
  const line = message.replaceAll(/\p{Cc}+/gu, ' ').replaceAll('##', '# #');
  const isAction = env['GITHUB_ACTIONS'] === 'true';
  console.error(isAction ? `::${level} title=flagwright-ci::${line.replaceAll('%', '%25')}` : `flagwright-ci: ${line}`);
}
