import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tables as they were before kit-auth. */
export class CreateTables1700000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE "role" (
        "id" serial PRIMARY KEY,
        "name" varchar NOT NULL UNIQUE
      )`);
    await queryRunner.query(`
      CREATE TABLE "user" (
        "id" serial PRIMARY KEY,
        "email" varchar NOT NULL UNIQUE,
        "firstName" varchar NOT NULL,
        "lastName" varchar NOT NULL,
        "password" varchar NOT NULL,
        "isActive" boolean NOT NULL DEFAULT true,
        "createdAt" timestamp NOT NULL DEFAULT now()
      )`);
    await queryRunner.query(`
      CREATE TABLE "user_roles_role" (
        "userId" integer NOT NULL REFERENCES "user" ON DELETE CASCADE,
        "roleId" integer NOT NULL REFERENCES "role" ON DELETE CASCADE,
        PRIMARY KEY ("userId", "roleId")
      )`);
    await queryRunner.query(`
      CREATE TABLE "order" (
        "id" serial PRIMARY KEY,
        "item" varchar NOT NULL,
        "buyerId" integer NOT NULL REFERENCES "user"
      )`);
    await queryRunner.query(`INSERT INTO "role" ("name") VALUES ('admin'), ('manager')`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE "order", "user_roles_role", "user", "role"`);
  }
}
