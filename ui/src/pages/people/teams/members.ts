/** Changes of a team's members. A request replaces all of them, so each change begins with those that there are now. */
import { answer, api } from '$lib/api/client';
import { toInput, type MemberInput, type TeamDetails } from './teams';

export async function changeMembers(
  id: string,
  change: (members: MemberInput[]) => MemberInput[],
): Promise<TeamDetails> {
  const path = { id };
  const present = await answer(api.GET('/console/api/teams/{id}', { params: { path } }));
  const members = change(present.members.map(toInput));
  return answer(api.PUT('/console/api/teams/{id}/members', { params: { path }, body: { members } }));
}
