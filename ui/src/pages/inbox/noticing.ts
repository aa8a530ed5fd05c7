/**
 * Notices of new messages: a notification of the browser and a short sound, as each operator chose. Of several tabs the
 * one that reads the event stream notices. What is in sight already needs no notice.
 */
import type { LiveEvent } from '$lib/live/index.svelte';
import { link, navigate } from '$lib/router.svelte';
import { session } from '$lib/session.svelte';
import { t } from '$lib/texts';
import { preferences, type NoticeScope } from './state/preferences.svelte';
import { kindName } from './inbox-texts';

type Received = {
  conversationId?: string;
  text?: string | null;
  type?: string;
  senderName?: string | null;
  waId?: string;
  operatorEmail?: string | null;
  assignedId?: string | null;
};
type Changed = { what?: string; conversationId?: string; mentions?: string[]; operatorEmail?: string };

/** The opened conversation, while it is looked at. */
let watched: string | null = null;
export function watch(conversation: string | null): void {
  watched = conversation;
}

const isSeen = (conversation: string | undefined) =>
  document.visibilityState === 'visible' && document.hasFocus() && conversation === watched;

function concerns(scope: NoticeScope, given: Received): boolean {
  if (scope === 'off') return false;
  return scope === 'all' || !given.assignedId || given.assignedId === session.current?.account.id;
}

export function notice(event: LiveEvent): void {
  if (typeof event.payload !== 'object' || event.payload === null) return;
  if (event.type === 'message') {
    const given = event.payload as Received;
    if (isSeen(given.conversationId)) return;
    if (concerns(preferences.sound, given)) playSound();
    if (concerns(preferences.notify, given))
      show(
        given.conversationId,
        given.senderName || given.waId || t('inbox.title'),
        given.text || kindName(given.type ?? ''),
      );
  } else if (event.type === 'inboxChanged') {
    const given = event.payload as Changed;
    const email = session.current?.account.email;
    if (given.what !== 'note' || !email || !given.mentions?.includes(email) || isSeen(given.conversationId)) return;
    if (preferences.sound !== 'off') playSound();
    if (preferences.notify !== 'off')
      show(given.conversationId, t('inbox.title'), t('inbox.mentionedYou', { name: given.operatorEmail ?? '' }));
  }
}

/** False where the browser has no notifications, or the person has refused them for this site. */
export function canNotify(): boolean {
  return typeof Notification !== 'undefined' && Notification.permission !== 'denied';
}

/** Asks the browser where it has no answer yet. Returns whether notifications are allowed. */
export async function askToNotify(): Promise<boolean> {
  if (typeof Notification === 'undefined') return false;
  if (Notification.permission === 'default') await Notification.requestPermission();
  return Notification.permission === 'granted';
}

function show(conversation: string | undefined, title: string, body: string): void {
  if (typeof Notification === 'undefined' || Notification.permission !== 'granted') return;
  const shown = new Notification(title, {
    body,
    tag: `switchboard.${conversation ?? ''}`,
    icon: `${import.meta.env.BASE_URL}icon.svg`,
  });
  shown.onclick = () => {
    window.focus();
    if (conversation) navigate(link('inbox/:conversation', { conversation }));
    shown.close();
  };
}

const TONES = [660, 880];
const TONE_SECONDS = 0.12;
let audio: AudioContext | null = null;

/** Two short tones, made here: no file is loaded. */
export function playSound(): void {
  audio ??= new AudioContext();
  // A page that no one has touched yet is silent; after the first key or click it may sound.
  void audio.resume();
  const start = audio.currentTime + 0.02;
  for (const [index, frequency] of TONES.entries()) {
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    const from = start + index * TONE_SECONDS;
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.0001, from);
    volume.gain.exponentialRampToValueAtTime(0.15, from + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, from + TONE_SECONDS);
    tone.connect(volume).connect(audio.destination);
    tone.start(from);
    tone.stop(from + TONE_SECONDS);
  }
}
