import type { Words } from './words.ts'

export const en: Words = {
  language: 'English',
  offline: 'You are offline. A payment already asked for continues on your phone.',
  noAnswer: 'No answer from the network. We are trying again.',

  payTitle: 'Pay',
  railQuestion: 'Payment method',
  numberLabel: (rail) => `${rail} number`,
  anyNumberLabel: 'Your mobile money number',
  numberHint: 'For example 6 70 12 34 56',
  numberAtRail: (rail) => `${rail} will ask for it on its page too.`,
  railProposed: (rail) => `${rail}, going by your number. You can change it.`,
  railDiffers: (looksLike, chosen) =>
    `This number looks like a number of ${looksLike}. Keep ${chosen} only if you have changed operators.`,
  redirectNote: (rail) => `You will pay on ${rail}’s page, and then come back here.`,
  pushNote: (rail) => `${rail} will ask for your secret code on your phone. This page never asks for it.`,
  pay: (amount) => `Pay ${amount}`,
  payAtRail: (rail) => `Continue to ${rail}`,
  sending: 'Sending the request…',
  numberMissing: 'Enter your mobile money number.',
  numberFitsNone: (rails) =>
    `This does not look like a number of ${rails.join(' or ')}. Check it. If it is right, press the button again to pay.`,
  railMissing: 'Check the number, or choose the payment method.',
  numberRefused: 'This number is incomplete, or is not a telephone number. Please correct it.',
  orderRefused: 'This payment could not be started. Nothing was taken.',
  notReceived: 'Your request does not seem to have gone out. You can try again: you will not pay twice.',
  startAgain: (merchant) => `This payment can no longer be made here. Start again at ${merchant}.`,
  noRail: (merchant) => `No payment method is available. Go back to ${merchant}.`,

  approveTitle: 'Confirm on your phone',
  approveStep: (rail) => `Open the request from ${rail} and type your secret code.`,
  approveNumber: (number) => `Request sent to ${number}.`,
  approvePayee: (name) => `The request carries the name ${name}.`,
  approveBy: (time) => `Confirm before ${time}.`,
  timeLeft: (minutes, seconds) => `${minutes} min ${String(seconds).padStart(2, '0')} s left`,
  timeLeftSpoken: (seconds) => `${seconds} seconds left.`,
  noPromptTitle: 'No request on your phone?',
  dial: (code) => `Dial ${code}`,
  dialOther: 'on the phone that pays, and confirm the payment that waits.',
  copy: 'Copy the code',
  copied: 'Code copied.',
  slow: 'Do not pay again: we are still waiting for the operator’s answer.',
  checkNow: 'Check now',
  keepOpen: 'This page updates by itself. You can close it and open your link again.',

  wrongNumber: 'Wrong number?',
  otherWay: 'Pay another way',
  wishWarning: 'One request at a time: do not pay elsewhere while this one is open.',
  requestStays: 'The request that was sent cannot be canceled from here.',
  requestStaysAt: (number) => `The request sent to ${number} cannot be canceled from here.`,
  atRailStays: (rail) => `The payment opened at ${rail} cannot be canceled from here.`,
  goesOnAt: (time, minutes, seconds) =>
    `It ends at ${time}, in ${minutes} min ${String(seconds).padStart(2, '0')} s. This page then goes on by itself.`,
  goesOnAfterAnswer: 'Its time is over. This page goes on by itself once the operator has answered.',
  refuseOnPhone: 'To go on at once, decline the request on the phone that received it.',
  refuseAtRail: (rail) => `To go on at once, decline the payment on ${rail}’s page, if it lets you.`,
  freeAgain: 'The earlier request has ended without a payment. You can pay now.',

  atRailTitle: (rail) => `Finish at ${rail}`,
  atRailText: (rail) => `If you have not finished paying, go back to ${rail}’s page.`,
  atRailWatching: 'If you have paid, do not pay again: we are waiting for the operator’s answer.',
  toRail: (host) => `Go to ${host}`,
  leavingTitle: (rail) => `Opening ${rail}’s page…`,

  unsureTitle: 'We are checking your request',
  unsureText: 'Do not pay another way: we are finding out whether your request went out.',

  pendingTitle: 'No answer from the operator yet',
  pendingText: (merchant) =>
    `Do not pay again. You can close this page: ${merchant} will be told the result.`,
  waitOn: 'Go on checking',

  declinedTitle: 'The payment did not go through',
  declineWatch: 'If you confirm on your phone after all, this page will show it.',
  sameNumber: 'Try again with the same number',
  otherNumber: 'Use another number',
  tryAgain: 'Try again',
  railSays: 'The operator’s message',

  noMoreTriesTitle: 'This link takes no more tries',
  noMoreTriesText: (merchant) =>
    `This payment was tried too many times. If you have confirmed a request on your phone, this page will show it. If not, ask ${merchant} for a new link.`,

  succeededTitle: 'Payment successful',
  receiptTitle: 'Receipt',
  receiptMerchant: 'Paid to',
  receiptAmount: 'Amount',
  receiptMeans: 'Paid with',
  receiptDate: 'Paid on',
  receiptReference: 'Reference',
  print: 'Print the receipt',
  toShop: (merchant) => `Back to ${merchant}`,

  canceledTitle: 'Payment canceled by the merchant',
  canceledText: (merchant) =>
    `${merchant} no longer waits for this payment. Do not confirm the request on your phone.`,
  expiredTitle: 'This payment link has expired',
  expiredText: (merchant) => `Go back to ${merchant} to ask for another one.`,

  unreadableTitle: 'We cannot check',
  unreadableText: 'No new payment was started from this page. Check your connection.',
  retry: 'Try again',
  lostTitle: 'Incomplete link',
  lostText: 'Open the whole payment link that you received again. To see a result, go back to the merchant.',

  testMode: 'Test: no money moves',
}
