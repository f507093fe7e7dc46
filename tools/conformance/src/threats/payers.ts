import { api, core } from '../test-ref.ts'
import { type Asset, threat } from './threat.ts'

export const payers: Asset = {
  title: 'A payer’s link and data',
  threats: [
    threat(
      'a stranger who guesses ids',
      'A payment is read or confirmed without its secret.',
      'The key of the merchant and the secret of the object are both needed, and compared in constant time; every failure is one answer.',
      api(
        'v1/uniform-404',
        'with a payer’s valid key and secret of another object, they also have the same answer:',
      ),
      api('browser/surface', 'no route of /v1 accepts a payer’s key and secret'),
    ),
    threat(
      'whoever has a copy of the database',
      'Payments that are still open are confirmed with the secrets in it.',
      'Secrets are derived from a key of the deployment and are in no row and no stored answer.',
      api('stored-secrets', 'no row of the database holds a secret of a payment, and every replay shows it'),
    ),
    threat(
      'whoever was passed a link',
      'It sends prompts to strangers’ phones, or learns from refusals which numbers have an account.',
      'The charges of an intent are bounded, and those that its payers open more tightly, by the statement that opens one and by an index; so are the keys that they leave behind.',
      core('attempts', 'that its payers open end at their limit, and the merchant opens the rest'),
      core('attempts', 'PostgreSQL refuses an attempt number that is taken, and one above the limit'),
      core(
        'attempts',
        'are bounded; what was answered before is replayed, and the merchant’s keys are other keys',
      ),
    ),
    threat(
      'a page of another site',
      'It calls with a payer’s or a staff member’s cookies.',
      'Payers have no cookies; staff’s are same-site, and a change needs the dashboard’s own header.',
      api('browser/surface', 'any page can read every answer and its headers, and none with cookies'),
      api('dash/every-route', '403: the request did not come from the dashboard'),
    ),
    threat(
      'a script on the checkout page',
      'It reads the secret from the address.',
      'The secret is in the fragment, which no server sees; the page loads nothing of another origin (Content-Security-Policy).',
      api('checkout-page', 'is the same for each session, with the headers of its build'),
    ),
    threat(
      'whoever reads the logs, the answers or a dump',
      'Payers’ data outlives its purpose.',
      'An erasure reaches every copy: answers under keys, events, excerpts of receivers; a refusal that is written at the same time is redacted.',
      core('erasure', 'many confirms, cancels and erasures all end, and leave nothing'),
      core(
        'erasure',
        'every table with a foreign key to customers keeps the row of a customer whom it names',
      ),
    ),
  ],
}
