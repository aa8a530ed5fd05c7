/** The files that wait in the composer of a conversation, and why others were not attached. */
import { t } from '$lib/texts';
import { attach, attachCanned, type Attachment } from './attachments';
import { fileProblem } from './files';

const MOST_FILES = 10;
/** Files stay attached while another conversation is looked at; a reload loses them, as they are not sent yet. */
const attachedIn = new Map<string, Attachment[]>();

export class AttachedFiles {
  list = $state.raw<Attachment[]>([]);
  /** They stay until other files are chosen or the message is sent. */
  problems = $state<string[]>([]);

  /** To be made while a component starts. */
  constructor(conversationId: string) {
    this.list = attachedIn.get(conversationId) ?? [];
    $effect(() => {
      attachedIn.set(conversationId, this.list);
    });
  }

  add(files: readonly File[]): void {
    this.problems = files.flatMap((file) => fileProblem(file) ?? []);
    const taken = files.filter((file) => fileProblem(file) === null);
    if (this.list.length + taken.length > MOST_FILES)
      this.problems = [...this.problems, t('composer.manyFiles', { most: String(MOST_FILES) })];
    this.list = [...this.list, ...taken.map(attach)].slice(0, MOST_FILES);
  }

  /** The files of a canned reply, which the server has. */
  addCanned(reply: string, files: readonly Parameters<typeof attachCanned>[1][]): void {
    this.list = [...this.list, ...files.map((file) => attachCanned(reply, file))].slice(0, MOST_FILES);
  }

  remove(gone: Attachment): void {
    this.list = this.list.filter((one) => one !== gone);
  }
}
