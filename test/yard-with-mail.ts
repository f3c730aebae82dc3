/** For tests: a post office at a yard whose engine reports what the test says, and the letters that it sends. */

import { openPostOffice } from '../src/server/mail/post-office.ts';
import { type NotingYard, openNotingYard } from './noting-yard.ts';

export type YardWithMail = Omit<NotingYard, 'close'> & {
  /** `ann: what it is about`. */
  readonly sent: string[];
  /** The post office goes, and another comes. */
  reopen(): Promise<void>;
  close(): Promise<void>;
};

export async function aYardWithMail(cpus = 4): Promise<YardWithMail> {
  const opened = await openNotingYard(cpus);
  const sent: string[] = [];
  const open = () =>
    openPostOffice({
      yard: opened.yard,
      yardName: 'yard',
      surroundings: { host: 'box', zone: 'UTC' },
      log: (line) => sent.push(`LOG ${line}`),
      sender: {
        send: ({ to, subject }) => void sent.push(`${to}: ${subject.replace(/^Trainyard /, '')}`),
        close: async () => {},
      },
    });
  let office = open();
  return {
    ...opened,
    sent,
    async reopen() {
      await office.close();
      office = open();
    },
    async close() {
      await office.close();
      await opened.close();
    },
  };
}
