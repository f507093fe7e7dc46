import { api, verifier, worker, workerUnit } from '../test-ref.ts'
import { type Asset, threat } from './threat.ts'

export const outside: Asset = {
  title: 'What comes from outside, and goes there',
  threats: [
    threat(
      'a stranger who finds the callback’s address',
      'A forged callback settles or fails a payment.',
      'A callback only makes the next query due; the rail is asked, at most once an interval.',
      api('forged-callbacks', 'change nothing'),
      api('forged-callbacks', 'cause at most one query per charge and interval at each rail'),
    ),
    threat(
      'whoever sets a webhook’s address, or the name server',
      'A delivery reaches a private address.',
      'The name is resolved once and every address is judged; the connection is made to the address that was judged; redirects are not followed.',
      workerUnit(
        'egress/resolve-target',
        'every spelling of a private address is recognised without a look-up',
      ),
      worker('egress', 'a name that turns private between attempts'),
      worker('egress', '%i is not followed'),
    ),
    threat(
      'a receiver of webhooks',
      'It answers without end, or never.',
      'Time, headers and body are bounded; a slow endpoint fills its own lane.',
      worker('egress', 'of ten megabytes is dropped after its beginning'),
      worker('many-endpoints', 'ten thousand events reach all of twenty endpoints'),
    ),
    threat(
      'a stranger who finds a merchant’s webhook address',
      'A forged or replayed event is believed.',
      'Events are signed with their instant; the verifier compares in constant time and refuses what is older than 300 s.',
      verifier('properties', 'any one bit flipped in the body is a mismatch'),
      verifier('verifier', 'counts whole seconds, so that the last moment of the 300th still passes'),
    ),
  ],
}
