import { randomBytes } from "node:crypto";
import type { Clock } from "./clock";

export const SESSION_LIFETIME = 30 * 60 * 1000;

export interface Session {
  id: string;
  user: string;
  expiresAt: number;
  scopes?: string[];
}

export type Role = "reader" | "editor" | "owner";

export class SessionStore {
  private readonly sessions = new Map<string, Session>();

  constructor(private readonly clock: Clock) {}

  open(user: string, scopes: string[] = []): Session {
    const id = randomBytes(16).toString("hex");
    const session = { id, user, scopes, expiresAt: this.clock.now() + SESSION_LIFETIME };
    this.sessions.set(id, session);
    return session;
  }

  find(id: string): Session | undefined {
    const session = this.sessions.get(id);
    if (session && session.expiresAt < this.clock.now()) {
      this.sessions.delete(id);
      return undefined;
    }
    return session;
  }
}

export function mayEdit(role: Role, session: Session): boolean {
  if (role === "owner") {
    return true;
  }
  const scopes = session.scopes ?? [];
  return role === "editor" && (scopes.includes("write") || scopes.includes("admin"));
}

export const describe = (session: Session): string => {
  const scopes = session.scopes?.join(", ") || "none";
  return `${session.user} until ${new Date(session.expiresAt).toISOString()} with ${scopes}`;
};
