/** Short notices of what was done, shown for a while and read out by screen readers. */
export type NoticeAction = { label: string; run: () => void };
export type Notice = { id: number; text: string; tone: 'ok' | 'bad'; action?: NoticeAction | undefined };

const SHOWN_MS = 6000;
const MAX_SHOWN = 3;

class Notices {
  list = $state<Notice[]>([]);
  #next = 1;

  show(text: string, tone: Notice['tone'] = 'ok', action?: NoticeAction): void {
    const id = this.#next++;
    this.list = [...this.list.slice(1 - MAX_SHOWN), { id, text, tone, action }];
    setTimeout(() => this.dismiss(id), tone === 'bad' ? SHOWN_MS * 2 : SHOWN_MS);
  }

  dismiss(id: number): void {
    this.list = this.list.filter((notice) => notice.id !== id);
  }
}

export const notices = new Notices();
