import { api, core, deploy, e2e, reconcileRails } from '../test-ref.ts'
import { type Asset, threat } from './threat.ts'

export const money: Asset = {
  title: 'Money',
  threats: [
    threat(
      'a payer who presses twice, a merchant who retries, a process that dies',
      'One payment is charged twice.',
      'One open charge for each intent (unique index); the submit is committed before it is sent; a lost answer is asked for and never sent again.',
      api('races', 'with fifty keys open one charge and show one prompt'),
      api('lost-submits', 'is prompted once at most, whoever insists, and pays once'),
      e2e('crashes', 'afterwards every payment is what the rail says, told once and delivered'),
    ),
    threat(
      'a rail that answers late or twice',
      'Money of a second charge stays with the merchant, unseen.',
      'A success that arrives after another one is a duplicate charge, with a return of its own that staff start.',
      api(
        'dash/charge-returns',
        '409: of forty concurrent requests one makes a return, and no other follows while it may pay or has paid',
      ),
      core('charge-returns', 'is the only one of its charge, until the rail refuses it'),
    ),
    threat(
      'a rail that refuses a refund and pays it later',
      'A second refund pays the payer twice.',
      'A refusal without proof is watched: not-found answers must repeat over minutes before a refund fails.',
      api('refund-refusals', 'no second one is sent'),
    ),
    threat(
      'a merchant, a bug of ours',
      'Refunds exceed the payment.',
      'The reservation is taken in the statement that makes the refund; a deferred trigger compares it with the sum of refunds.',
      api('v1/refunds/create', 'never exceed what was paid'),
      core(
        'money-agrees',
        'is their sum by the end of the transaction, whichever of the two is written first',
      ),
    ),
    threat(
      'a bug of ours',
      'An intent is paid without a charge that succeeded, or an invoice by an intent of another total.',
      'Composite keys and deferred triggers, whoever writes.',
      core('money-agrees', 'is refused without one'),
      core('money-agrees', 'names a succeeded intent of its own, of its total'),
    ),
    threat(
      'the loss of a disk, and the restore after it',
      'Money that moved since the restored time stays unseen, or moves a second time.',
      'Each reference is logged before its rail gets it. The worker and `reconcile:rails` ask rails by status queries alone, and a person decides about what is found. `restore:hold` doubts what had not reached its rail at the restored time.',
      deploy('restore', 'settles what its rails did since, and the rest is found and doubles nothing'),
      reconcileRails('reconcile', 'is not asked about again, and nothing is written twice'),
    ),
  ],
}
