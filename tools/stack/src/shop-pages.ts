const pageOf = (title: string, text: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Demo shop</title>
<link rel="icon" href="data:,">
<style>
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
  main { max-width: 34rem; margin: 4rem auto; padding: 0 1rem }
</style>
<main>
<p>Demo shop</p>
<h1>${title}</h1>
<p>${text}</p>
<p><a href="/received">The webhooks that the shop was sent</a></p>
</main>
</html>
`

/** The pages of the demo shop to which the checkout page links. */
export const shopPages: ReadonlyMap<string, string> = new Map([
  [
    '/thanks',
    pageOf(
      'Thank you',
      'The checkout page brought you back. A shop delivers once the webhook <code>payment_intent.succeeded</code> has arrived, because a browser may never come back.',
    ),
  ],
  ['/basket', pageOf('Your basket', 'A bag of rice. You left the checkout page before you paid.')],
])
