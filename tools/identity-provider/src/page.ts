import type { Person } from './people.ts'

/** Who do you want to be? */
export const renderPage = (people: readonly Person[]): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sign in</title>
<style>
  body { font: 1rem system-ui; max-width: 24rem; margin: 4rem auto; padding: 0 1rem }
  button { font: inherit; display: block; width: 100%; margin: .5rem 0; padding: .75rem; text-align: left }
</style>
<h1>Sign in</h1>
<p>The identity provider of the development system. Nobody has a password.</p>
<form method="post">
${people.map(({ login, name, roles }) => `  <button name="login" value="${login}">${name} (${roles.join(', ')})</button>`).join('\n')}
</form>
</html>
`
