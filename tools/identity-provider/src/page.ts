import type { Person } from './people.ts'

/** A page that loads nothing from elsewhere. */
const pageOf = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>
  body { font: 1rem system-ui; max-width: 24rem; margin: 4rem auto; padding: 0 1rem }
  button { font: inherit; display: block; width: 100%; margin: .5rem 0; padding: .75rem; text-align: left }
</style>
<h1>${title}</h1>
<p>The identity provider of the development system. Nobody has a password.</p>
${body}
</html>
`

export function renderPage(people: readonly Person[]): string {
  const buttons = people.map(
    ({ login, name, roles }) =>
      `<button name="login" value="${login}">${name} (${roles.join(', ')})</button>`,
  )
  return pageOf('Sign in', `<form method="post">\n${buttons.join('\n')}\n</form>`)
}

/** @param form the provider's own, named op.logoutForm */
export const renderSignOut = (form: string): string =>
  pageOf('Sign out', `${form}\n<button form="op.logoutForm" name="logout" value="yes">Sign out</button>`)
