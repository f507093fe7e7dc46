import { api, core, db } from '../test-ref.ts'
import { type Asset, threat } from './threat.ts'

export const staff: Asset = {
  title: 'The staff’s surface',
  threats: [
    threat(
      'a stranger',
      'Somebody is signed in with another’s callback, code or cookie.',
      'State, nonce and PKCE are bound to a cookie of the attempt; a session is new with each sign-in.',
      api('dash/sign-in', 'with somebody else’s callback signs nobody in (login CSRF)'),
      api('dash/sign-in', 'with a session that was planted before the sign-in gets nothing (fixation)'),
    ),
    threat(
      'a staff member',
      'A change beyond the role is made.',
      'Each operation names its role; roles are read from the provider’s claims through today’s configuration.',
      api('dash/every-route', '%s names the required role'),
      api(
        'dash/every-route',
        'has the role that the configuration gives its claims now: a removed role is lost at once',
      ),
    ),
    threat(
      'a staff member',
      'A refused charge is ruled paid, and refunded to a number of their own.',
      'A ruling of success and a payout to a number that did not pay take a second person; nothing that stands on a ruling alone is refunded; what one member asks for in a day has a limit.',
      api('dash/approval-requests', 'one operator alone cannot turn a refusal into a payout'),
      api(
        'dash/unproven-charges',
        'a payment with only a ruling cannot be refunded by staff or merchant until two people record a statement',
      ),
      api('dash/limits', 'a staff member has a daily number of refunds, also for twenty concurrent requests'),
    ),
    threat(
      'a staff member who pays out, and later denies to whom',
      'The log does not tell the number, or tells it to everybody.',
      'An entry keeps a hash of the number under a key of the payment, which an erasure destroys.',
      api(
        'dash/number-hashes',
        'says whether it goes to the payer, and only somebody with the number can check to whom',
      ),
      api('dash/number-hashes', 'cannot be checked after its customer is erased'),
      api('dash/number-hashes', 'does not tell its number to whoever tries all numbers'),
    ),
    threat(
      'whoever holds the service’s database connection',
      'Rules of the tables are switched off, or the log is emptied.',
      'The service’s role owns nothing: it changes rows and nothing else, and of what is written once not even those.',
      db('app-role', 'the app role may not'),
      db(
        'grants',
        'each table is in the list, belongs to the owner, and grants the app role what the list says',
      ),
    ),
    threat(
      'whoever administers the database',
      'Entries of the log are altered, removed or made up.',
      'Entries are chained by hash, and each head is a log line that a collector keeps; `audit:verify` finds the first that does not fit.',
      db('audit-chain', 'an entry that was altered, whichever column'),
      db('audit-chain', 'a chain that was rewritten, by a head that was noted outside'),
    ),
    threat(
      'a staff member',
      'A change is made without a trace.',
      'The entry is written in the transaction of its change, and the log refuses every update and deletion.',
      core(
        'audit',
        'if the entry cannot be written, there is no change and no event, and the key stays free',
      ),
      core('audit', 'refuses %s, whoever asks'),
    ),
    threat(
      'whoever finds an open browser',
      'A grave change is made in somebody else’s name.',
      'Where the deployment configures it, a grave change takes a sign-in of a moment ago, as strong as is asked for.',
      api('dash/step-up', 'is refused after an old sign-in, and made after a new one'),
      api('dash/step-up', 'that is weaker than required allows only reading'),
    ),
    threat(
      'whoever finds an open browser or an old cookie',
      'The session is used.',
      'It ends after half an hour without use, after eight hours, and at sign-out.',
      api('dash/every-route', 'ends after half an hour without use'),
      api('dash/every-route', 'ends at once at a sign-out, for every copy of its cookie'),
    ),
    threat(
      'a curious staff member',
      'Payers are looked up without a trace.',
      'A look-up by number or name, a customer who is opened and the list of customers are entries of the audit log, written before they are answered.',
      api(
        'dash/reads',
        'writes an entry with its author, also for a viewer, and a keyed hash instead of the number',
      ),
      api('dash/reads', 'writes one entry in ten minutes for each staff member'),
      api('dash/reads', 'writes an entry for each staff member who sees a person in it, once in ten minutes'),
      core('audit', 'a read of a person whose entry cannot be written is refused'),
    ),
    threat(
      'whoever reads the logs of a proxy, or the history of a browser',
      'Payers’ numbers are read from addresses.',
      'A number is sent in a form. An address holds an encrypted handle of it, which is over after twelve hours.',
      api('dash/lookup', 'exists only for a number, reveals nothing of it, and differs each time'),
      api('dash/lookup', '400: %s accepts it for twelve hours'),
      api('dash/lookup', '405: by GET'),
    ),
    threat(
      'somebody who was signed out at the identity provider',
      'Their session here goes on.',
      'The provider’s logout token ends the sessions of its sid, or of its sub.',
      api('dash/backchannel-logout', 'a sign-out at the provider ends the session here'),
      api('dash/backchannel-logout', 'with a sid ends the session of that sign-in, and no other'),
    ),
    threat(
      'a stranger',
      'Staff are signed out by a forged or repeated logout token.',
      'It is signed by the provider, for this client alone, young, of the logout event, and good once.',
      api('dash/backchannel-logout', 'a signature by another key, none, or one by a shared secret'),
      api('dash/backchannel-logout', 'is accepted once, also if it arrives twice at once'),
    ),
    threat(
      'whoever reads what the service and the provider share',
      'Codes are redeemed in the service’s name.',
      'With a client key there is no shared secret: each request is signed, and the provider knows the public part.',
      api('dash/client-key', 'fails with a key that the provider does not know'),
    ),
  ],
}
