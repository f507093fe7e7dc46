const feature = (title: string, details: string, link: string, linkText: string) =>
  `  - title: ${title}\n    details: ${details}\n    link: ${link}\n    linkText: ${linkText}`

const home = (lines: readonly string[]): string => `---\nlayout: home\n${lines.join('\n')}\n---\n`

/** The first page of each language. */
export const homePages: Readonly<Record<string, string>> = {
  'index.md': home([
    'hero:',
    '  name: Merchant Payments',
    '  text: Payments on mobile money',
    '  tagline: For merchants who take payments, and for operators who run the service.',
    '  actions:',
    '    - { theme: brand, text: Take your first payment, link: /guides/take-your-first-payment }',
    '    - { theme: alt, text: Deploy, link: "/operations#deploy" }',
    'features:',
    feature(
      'Tutorials',
      'Learn by a first payment in a folder of your own.',
      '/guides/take-your-first-payment',
      'Start',
    ),
    feature(
      'How-to',
      'Come from Stripe, test, go live, deploy, restore, rotate, upgrade.',
      '/guides/going-live',
      'Do',
    ),
    feature(
      'Reference',
      'Calls, events, declines, errors, settings, metrics.',
      '/api/paymentIntents',
      'Look up',
    ),
    feature(
      'Explanation',
      'How it works, what it trusts, and why it is built this way.',
      '/architecture',
      'Understand',
    ),
  ]),
  'fr/index.md': home([
    'hero:',
    '  name: Merchant Payments',
    '  text: Encaisser par Mobile Money',
    '  tagline: Les premières pages pour les marchands. La suite de la documentation est en anglais.',
    '  actions:',
    '    - { theme: brand, text: Encaisser un premier paiement, link: /fr/premier-paiement }',
    'features:',
    feature(
      'Premier paiement',
      'Avec votre propre code, en dix minutes.',
      '/fr/premier-paiement',
      'Commencer',
    ),
    feature('Refus', 'Que dire au payeur, pour chaque code.', '/fr/refus', 'Consulter'),
    feature(
      'Mise en production',
      'La liste à vérifier avant le premier client.',
      '/fr/mise-en-production',
      'Vérifier',
    ),
  ]),
}
