--
-- PostgreSQL database dump
--

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: missions; Type: TABLE; Schema: public; Owner: root
--

CREATE TABLE public.missions (
    mission_id integer NOT NULL,
    base_id integer NOT NULL,
    alerted_at timestamp without time zone NOT NULL,
    departed_at timestamp without time zone,
    reached_at timestamp without time zone,
    kind text NOT NULL,
    severity integer,
    zone text,
    report jsonb NOT NULL
);


ALTER TABLE public.missions OWNER TO root;

--
-- Name: missions_mission_id_seq; Type: SEQUENCE; Schema: public; Owner: root
--

CREATE SEQUENCE public.missions_mission_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE public.missions_mission_id_seq OWNER TO root;

--
-- Name: missions_mission_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: root
--

ALTER SEQUENCE public.missions_mission_id_seq OWNED BY public.missions.mission_id;


--
-- Name: missions mission_id; Type: DEFAULT; Schema: public; Owner: root
--

ALTER TABLE ONLY public.missions ALTER COLUMN mission_id SET DEFAULT nextval('public.missions_mission_id_seq'::regclass);


--
-- Name: missions; Type: TABLE DATA; Schema: public; Owner: root
--

COPY public.missions (mission_id, base_id, alerted_at, departed_at, reached_at, kind, severity, zone, report) FROM stdin;
1	4	2023-05-02 14:22:00	2023-05-02 14:33:00	\N	fall	7	summit ridge	{"outcome": "rescued", "casualties": 2, "helicopter": false}
2	7	2023-05-08 16:32:00	\N	\N	medical	1	via ferrata	{"outcome": "self-rescued", "casualties": 1, "helicopter": false}
3	3	2023-05-12 07:57:00	2023-05-12 08:25:00	2023-05-12 09:23:00	fall	3	glacier	{"outcome": "dead", "casualties": 1, "helicopter": false}
4	25	2023-06-24 20:37:00	2023-06-24 20:42:00	2023-06-24 20:56:00	fall	3	glacier	{"cost": {"fuel_l": 206.7, "flight_min": 67}, "outcome": "rescued", "casualties": 2, "helicopter": true}
5	7	2023-07-13 00:02:00	2023-07-13 00:08:00	\N	false alarm	0	forest	{"outcome": "none", "casualties": 0, "helicopter": false}
6	17	2023-07-17 23:41:00	2023-07-18 00:03:00	2023-07-18 00:36:00	fall	4	forest	{"cost": {"fuel_l": 278.8, "flight_min": 92}, "outcome": "self-rescued", "casualties": 1, "helicopter": true}
7	18	2023-07-31 09:20:00	2023-07-31 09:40:00	2023-07-31 10:00:00	false alarm	3	ski run	{"outcome": "none", "casualties": 0, "helicopter": false}
8	19	2023-08-11 08:50:00	2023-08-11 09:17:00	2023-08-11 09:52:00	fall	3	glacier	{"cost": {"fuel_l": 121.8, "flight_min": 38}, "outcome": "rescued", "casualties": 1, "helicopter": true}
9	3	2023-08-25 18:55:00	2023-08-25 19:18:00	2023-08-25 19:43:00	false alarm	2	ski run	{"cost": {"fuel_l": 233.0, "flight_min": 77}, "outcome": "none", "casualties": 0, "helicopter": true}
10	5	2023-09-05 02:42:00	2023-09-05 03:10:00	2023-09-05 03:34:00	medical	4	summit ridge	{"outcome": "dead", "casualties": 2, "helicopter": false}
11	13	2023-09-05 17:09:00	2023-09-05 17:33:00	2023-09-05 17:42:00	fall	\N	ski run	{"cost": {"fuel_l": 101.4, "flight_min": 32}, "outcome": "rescued", "casualties": 2, "helicopter": true}
12	10	2023-09-19 08:09:00	2023-09-19 08:17:00	2023-09-19 08:59:00	medical	0	couloir	{"cost": {"fuel_l": null, "flight_min": 81}, "outcome": "rescued", "casualties": 2, "helicopter": true}
13	13	2023-09-21 18:33:00	2023-09-21 18:43:00	2023-09-21 20:05:00	medical	4	\N	{"outcome": "rescued", "casualties": 1, "helicopter": false}
14	5	2023-09-21 20:46:00	2023-09-21 21:12:00	2023-09-21 21:32:00	medical	1	\N	{"outcome": "self-rescued", "casualties": 1, "helicopter": false}
15	3	2023-09-30 14:37:00	2023-09-30 14:43:00	2023-09-30 16:12:00	fall	7	ski run	{"cost": {"fuel_l": 285.1, "flight_min": 94}, "outcome": "self-rescued", "casualties": 1, "helicopter": true}
16	11	2023-10-19 03:09:00	2023-10-19 03:37:00	2023-10-19 03:45:00	fall	2	forest	{"cost": {"fuel_l": 35.4, "flight_min": 10}, "outcome": "rescued", "casualties": 3, "helicopter": true}
17	5	2023-10-19 06:48:00	2023-10-19 07:13:00	2023-10-19 07:24:00	fall	3	glacier	{"cost": {"fuel_l": null, "flight_min": 94}, "outcome": "rescued", "casualties": 2, "helicopter": true}
18	11	2023-10-26 23:20:00	2023-10-26 23:26:00	2023-10-27 00:20:00	lost	\N	ski run	{"outcome": "self-rescued", "casualties": 3, "helicopter": false}
19	8	2023-11-04 08:04:00	2023-11-04 08:18:00	2023-11-04 10:34:00	fall	5	summit ridge	{"cost": {"fuel_l": 210.9, "flight_min": 70}, "outcome": "dead", "casualties": 3, "helicopter": true}
20	12	2023-11-10 13:08:00	2023-11-10 13:31:00	2023-11-10 13:47:00	avalanche	\N	\N	{"outcome": "rescued", "casualties": 1, "helicopter": false}
21	8	2023-11-12 03:07:00	2023-11-12 03:32:00	\N	fall	1	forest	{"outcome": "rescued", "casualties": 1, "helicopter": false}
22	13	2023-11-19 10:08:00	2023-11-19 10:14:00	2023-11-19 10:39:00	fall	3	ski run	{"outcome": "rescued", "casualties": 1, "helicopter": false}
23	3	2023-11-22 03:49:00	2023-11-22 04:03:00	2023-11-22 04:18:00	fall	0	forest	{"cost": {"fuel_l": 290.7, "flight_min": 94}, "outcome": "rescued", "casualties": 1, "helicopter": true}
24	5	2023-11-28 09:41:00	2023-11-28 09:57:00	2023-11-28 10:26:00	fall	3	via ferrata	{"cost": {"fuel_l": 168.3, "flight_min": 55}, "outcome": "self-rescued", "casualties": 2, "helicopter": true}
25	9	2023-12-03 23:21:00	2023-12-03 23:43:00	2023-12-04 00:00:00	medical	4	glacier	{"outcome": "self-rescued", "casualties": 1, "helicopter": false}
26	24	2023-12-04 16:04:00	2023-12-04 16:29:00	2023-12-04 17:37:00	medical	5	forest	{"outcome": "self-rescued", "casualties": 1, "helicopter": false}
27	10	2023-12-07 04:04:00	2023-12-07 04:17:00	\N	lost	2	forest	{"outcome": "rescued", "casualties": 1, "helicopter": false}
28	7	2023-12-24 21:48:00	2023-12-24 22:06:00	2023-12-24 23:41:00	fall	\N	summit ridge	{"cost": {"fuel_l": null, "flight_min": 63}, "outcome": "rescued", "casualties": 2, "helicopter": true}
29	5	2024-01-19 15:00:00	2024-01-19 15:26:00	\N	false alarm	2	ski run	{"outcome": "none", "casualties": 0, "helicopter": false}
30	15	2024-01-19 16:29:00	2024-01-19 16:56:00	2024-01-19 19:21:00	fall	2	forest	{"cost": {"fuel_l": 52.0, "flight_min": 17}, "outcome": "rescued", "casualties": 3, "helicopter": true}
31	7	2024-01-20 19:15:00	2024-01-20 19:39:00	2024-01-20 20:08:00	fall	4	forest	{"outcome": "self-rescued", "casualties": 2, "helicopter": false}
32	7	2024-01-27 23:10:00	2024-01-27 23:20:00	2024-01-28 01:50:00	false alarm	3	couloir	{"outcome": "none", "casualties": 0, "helicopter": false}
33	26	2024-01-30 09:14:00	2024-01-30 09:25:00	2024-01-30 09:48:00	fall	\N	\N	{"outcome": "self-rescued", "casualties": 1, "helicopter": false}
34	21	2024-02-05 05:40:00	2024-02-05 06:04:00	2024-02-05 06:11:00	false alarm	5	ski run	{"cost": {"fuel_l": 91.9, "flight_min": 30}, "outcome": "none", "casualties": 0, "helicopter": true}
35	15	2024-02-16 16:40:00	2024-02-16 17:06:00	2024-02-16 17:20:00	medical	0	glacier	{"outcome": "dead", "casualties": 1, "helicopter": false}
36	20	2024-02-19 20:00:00	2024-02-19 20:04:00	2024-02-19 20:34:00	medical	5	glacier	{"cost": {"fuel_l": null, "flight_min": 95}, "outcome": "rescued", "casualties": 2, "helicopter": true}
37	14	2024-03-01 17:28:00	2024-03-01 17:38:00	\N	false alarm	1	forest	{"outcome": "none", "casualties": 0, "helicopter": false}
38	17	2024-03-06 02:04:00	2024-03-06 02:07:00	2024-03-06 02:23:00	fall	0	\N	{"cost": {"fuel_l": 185.3, "flight_min": 60}, "outcome": "rescued", "casualties": 1, "helicopter": true}
39	19	2024-03-11 18:17:00	\N	\N	fall	3	glacier	{"outcome": "rescued", "casualties": 3, "helicopter": false}
40	4	2024-03-12 07:04:00	2024-03-12 07:11:00	2024-03-12 07:17:00	fall	\N	forest	{"outcome": "dead", "casualties": 1, "helicopter": false}
41	17	2024-03-16 10:11:00	2024-03-16 10:24:00	2024-03-16 10:53:00	fall	1	glacier	{"cost": {"fuel_l": 156.3, "flight_min": 50}, "outcome": "rescued", "casualties": 3, "helicopter": true}
42	20	2024-03-18 01:44:00	2024-03-18 02:00:00	2024-03-18 03:24:00	medical	\N	\N	{"outcome": "rescued", "casualties": 1, "helicopter": false}
43	20	2024-04-06 23:11:00	2024-04-06 23:14:00	2024-04-06 23:20:00	medical	3	couloir	{"outcome": "rescued", "casualties": 3, "helicopter": false}
44	21	2024-04-12 03:19:00	2024-04-12 03:43:00	2024-04-12 03:58:00	lost	7	via ferrata	{"cost": {"fuel_l": 73.0, "flight_min": 22}, "outcome": "rescued", "casualties": 3, "helicopter": true}
45	13	2024-04-16 02:39:00	2024-04-16 02:43:00	2024-04-16 04:34:00	avalanche	2	via ferrata	{"outcome": "rescued", "casualties": 1, "helicopter": false}
46	24	2024-04-17 04:11:00	2024-04-17 04:14:00	2024-04-17 06:21:00	lost	4	glacier	{"cost": {"fuel_l": 191.2, "flight_min": 63}, "outcome": "rescued", "casualties": 2, "helicopter": true}
47	16	2024-04-24 21:38:00	2024-04-24 21:48:00	2024-04-24 22:17:00	avalanche	2	ski run	{"outcome": "rescued", "casualties": 2, "helicopter": false}
48	2	2024-04-29 19:31:00	2024-04-29 19:59:00	2024-04-29 20:18:00	avalanche	4	couloir	{"outcome": "rescued", "casualties": 1, "helicopter": false}
49	3	2024-05-01 21:28:00	2024-05-01 21:53:00	2024-05-01 22:25:00	fall	1	forest	{"outcome": "rescued", "casualties": 1, "helicopter": false}
50	6	2024-05-06 20:59:00	2024-05-06 21:05:00	2024-05-06 21:32:00	medical	1	summit ridge	{"cost": {"fuel_l": 198.8, "flight_min": 65}, "outcome": "rescued", "casualties": 1, "helicopter": true}
51	30	2024-05-06 21:44:00	2024-05-06 22:11:00	\N	false alarm	1	couloir	{"outcome": "none", "casualties": 0, "helicopter": false}
52	2	2024-05-12 23:12:00	2024-05-12 23:19:00	2024-05-12 23:42:00	crevasse	4	ski run	{"outcome": "self-rescued", "casualties": 3, "helicopter": false}
53	15	2024-05-14 00:22:00	2024-05-14 00:34:00	2024-05-14 01:05:00	fall	2	couloir	{"outcome": "rescued", "casualties": 3, "helicopter": false}
54	5	2024-05-16 04:25:00	2024-05-16 04:42:00	2024-05-16 04:59:00	lost	4	forest	{"cost": {"fuel_l": 45.3, "flight_min": 14}, "outcome": "self-rescued", "casualties": 2, "helicopter": true}
55	25	2024-05-20 11:33:00	2024-05-20 11:37:00	2024-05-20 12:02:00	lost	2	via ferrata	{"cost": {"fuel_l": 116.8, "flight_min": 38}, "outcome": "self-rescued", "casualties": 1, "helicopter": true}
56	14	2024-05-27 19:04:00	2024-05-27 19:12:00	2024-05-27 21:04:00	medical	1	ski run	{"cost": {"fuel_l": 73.9, "flight_min": 23}, "outcome": "rescued", "casualties": 1, "helicopter": true}
57	8	2024-05-27 22:32:00	2024-05-27 22:52:00	2024-05-27 23:13:00	fall	4	couloir	{"outcome": "dead", "casualties": 1, "helicopter": false}
58	30	2024-05-31 23:17:00	2024-05-31 23:35:00	2024-06-01 01:58:00	fall	3	via ferrata	{"outcome": "rescued", "casualties": 3, "helicopter": false}
59	12	2024-06-01 14:53:00	2024-06-01 14:59:00	2024-06-01 15:34:00	false alarm	3	glacier	{"outcome": "none", "casualties": 0, "helicopter": false}
60	17	2024-06-16 01:49:00	2024-06-16 01:55:00	2024-06-16 02:06:00	lost	2	glacier	{"cost": {"fuel_l": null, "flight_min": 42}, "outcome": "self-rescued", "casualties": 1, "helicopter": true}
61	18	2024-06-20 01:25:00	2024-06-20 01:51:00	2024-06-20 04:19:00	lost	2	glacier	{"cost": {"fuel_l": 171.8, "flight_min": 56}, "outcome": "rescued", "casualties": 1, "helicopter": true}
62	7	2024-06-20 13:12:00	2024-06-20 13:25:00	2024-06-20 13:40:00	fall	\N	ski run	{"cost": {"fuel_l": 124.7, "flight_min": 39}, "outcome": "self-rescued", "casualties": 1, "helicopter": true}
63	2	2024-06-24 10:56:00	2024-06-24 11:09:00	2024-06-24 11:32:00	false alarm	5	summit ridge	{"cost": {"fuel_l": 262.8, "flight_min": 85}, "outcome": "none", "casualties": 0, "helicopter": true}
64	1	2024-06-24 20:34:00	2024-06-24 20:48:00	2024-06-24 21:19:00	fall	\N	forest	{"outcome": "dead", "casualties": 1, "helicopter": false}
65	11	2024-07-02 16:37:00	2024-07-02 16:57:00	\N	false alarm	3	couloir	{"outcome": "none", "casualties": 0, "helicopter": false}
66	5	2024-07-14 08:06:00	2024-07-14 08:26:00	2024-07-14 08:57:00	fall	1	via ferrata	{"outcome": "rescued", "casualties": 1, "helicopter": false}
67	21	2024-07-15 18:49:00	2024-07-15 19:11:00	2024-07-15 20:31:00	fall	4	summit ridge	{"outcome": "rescued", "casualties": 2, "helicopter": false}
68	17	2024-07-19 21:55:00	2024-07-19 22:18:00	2024-07-19 23:16:00	fall	4	summit ridge	{"cost": {"fuel_l": 154.1, "flight_min": 50}, "outcome": "self-rescued", "casualties": 1, "helicopter": true}
69	10	2024-08-09 06:04:00	\N	\N	lost	0	couloir	{"outcome": "self-rescued", "casualties": 1, "helicopter": false}
70	14	2024-08-09 07:32:00	2024-08-09 07:53:00	2024-08-09 08:08:00	false alarm	4	forest	{"outcome": "none", "casualties": 0, "helicopter": false}
71	9	2024-09-02 14:25:00	\N	\N	medical	7	summit ridge	{"outcome": "self-rescued", "casualties": 1, "helicopter": false}
72	14	2024-09-04 05:49:00	2024-09-04 06:09:00	2024-09-04 08:18:00	false alarm	2	via ferrata	{"cost": {"fuel_l": 34.3, "flight_min": 9}, "outcome": "none", "casualties": 0, "helicopter": true}
73	7	2024-09-04 07:21:00	2024-09-04 07:26:00	2024-09-04 07:43:00	false alarm	3	couloir	{"outcome": "none", "casualties": 0, "helicopter": false}
74	13	2024-09-05 15:24:00	2024-09-05 15:49:00	2024-09-05 16:16:00	lost	2	ski run	{"cost": {"fuel_l": 48.8, "flight_min": 14}, "outcome": "dead", "casualties": 2, "helicopter": true}
75	30	2024-09-09 00:23:00	2024-09-09 00:27:00	2024-09-09 02:38:00	avalanche	5	via ferrata	{"outcome": "rescued", "casualties": 1, "helicopter": false}
76	31	2024-09-12 09:12:00	2024-09-12 09:20:00	\N	false alarm	4	summit ridge	{"outcome": "none", "casualties": 0, "helicopter": false}
77	23	2024-09-14 17:07:00	2024-09-14 17:18:00	2024-09-14 17:41:00	medical	4	forest	{"cost": {"fuel_l": 153.5, "flight_min": 49}, "outcome": "dead", "casualties": 2, "helicopter": true}
78	14	2024-10-04 04:58:00	2024-10-04 05:22:00	2024-10-04 05:49:00	avalanche	\N	\N	{"outcome": "rescued", "casualties": 2, "helicopter": false}
79	3	2024-10-21 16:43:00	2024-10-21 16:52:00	2024-10-21 17:04:00	lost	5	forest	{"cost": {"fuel_l": 180.3, "flight_min": 60}, "outcome": "dead", "casualties": 1, "helicopter": true}
80	28	2024-11-02 08:48:00	2024-11-02 09:01:00	2024-11-02 09:21:00	medical	\N	couloir	{"outcome": "rescued", "casualties": 1, "helicopter": false}
81	21	2024-11-03 18:35:00	2024-11-03 18:58:00	2024-11-03 19:25:00	avalanche	2	forest	{"outcome": "rescued", "casualties": 3, "helicopter": false}
82	17	2024-11-04 21:51:00	2024-11-04 22:01:00	2024-11-04 23:40:00	fall	\N	summit ridge	{"outcome": "rescued", "casualties": 1, "helicopter": false}
83	16	2024-11-08 18:16:00	2024-11-08 18:37:00	2024-11-08 18:58:00	lost	3	glacier	{"outcome": "rescued", "casualties": 2, "helicopter": false}
84	27	2024-11-08 18:47:00	2024-11-08 18:50:00	2024-11-08 19:17:00	avalanche	0	summit ridge	{"outcome": "rescued", "casualties": 3, "helicopter": false}
85	25	2024-11-13 06:32:00	2024-11-13 06:35:00	2024-11-13 06:51:00	medical	3	via ferrata	{"cost": {"fuel_l": null, "flight_min": 61}, "outcome": "rescued", "casualties": 1, "helicopter": true}
86	4	2024-11-13 13:41:00	2024-11-13 14:04:00	2024-11-13 14:17:00	fall	5	glacier	{"outcome": "rescued", "casualties": 3, "helicopter": false}
87	18	2024-11-13 14:59:00	2024-11-13 15:25:00	\N	false alarm	4	summit ridge	{"outcome": "none", "casualties": 0, "helicopter": false}
88	37	2024-11-16 01:22:00	\N	\N	fall	1	\N	{"outcome": "self-rescued", "casualties": 1, "helicopter": false}
89	19	2024-11-16 11:43:00	2024-11-16 12:03:00	2024-11-16 12:33:00	crevasse	3	\N	{"cost": {"fuel_l": null, "flight_min": 60}, "outcome": "rescued", "casualties": 1, "helicopter": true}
90	20	2024-11-21 01:03:00	2024-11-21 01:12:00	2024-11-21 01:27:00	avalanche	5	couloir	{"outcome": "rescued", "casualties": 1, "helicopter": false}
91	19	2024-11-21 19:43:00	2024-11-21 20:08:00	2024-11-21 22:26:00	fall	2	ski run	{"outcome": "rescued", "casualties": 1, "helicopter": false}
92	13	2024-11-24 12:02:00	\N	\N	medical	1	summit ridge	{"outcome": "self-rescued", "casualties": 1, "helicopter": false}
93	2	2024-11-27 05:07:00	2024-11-27 05:31:00	2024-11-27 05:46:00	medical	3	forest	{"cost": {"fuel_l": 101.1, "flight_min": 32}, "outcome": "rescued", "casualties": 1, "helicopter": true}
94	23	2024-11-27 10:57:00	\N	\N	false alarm	2	ski run	{"outcome": "none", "casualties": 0, "helicopter": false}
95	20	2024-11-27 13:05:00	2024-11-27 13:12:00	\N	medical	4	forest	{"outcome": "dead", "casualties": 1, "helicopter": false}
96	27	2024-12-03 04:05:00	2024-12-03 04:17:00	2024-12-03 06:43:00	avalanche	5	forest	{"cost": {"fuel_l": 197.6, "flight_min": 65}, "outcome": "rescued", "casualties": 3, "helicopter": true}
97	20	2024-12-03 13:40:00	2024-12-03 13:49:00	2024-12-03 14:10:00	fall	\N	forest	{"outcome": "rescued", "casualties": 3, "helicopter": false}
98	6	2024-12-03 18:55:00	2024-12-03 19:18:00	2024-12-03 19:33:00	medical	4	glacier	{"cost": {"fuel_l": null, "flight_min": 67}, "outcome": "rescued", "casualties": 1, "helicopter": true}
99	17	2024-12-07 21:23:00	2024-12-07 21:40:00	2024-12-07 23:29:00	false alarm	4	via ferrata	{"cost": {"fuel_l": 124.0, "flight_min": 41}, "outcome": "none", "casualties": 0, "helicopter": true}
100	17	2024-12-08 02:51:00	\N	\N	medical	3	summit ridge	{"outcome": "self-rescued", "casualties": 3, "helicopter": false}
101	38	2024-12-09 01:35:00	2024-12-09 01:39:00	2024-12-09 04:11:00	fall	5	couloir	{"cost": {"fuel_l": 188.7, "flight_min": 61}, "outcome": "self-rescued", "casualties": 3, "helicopter": true}
102	35	2024-12-09 12:05:00	2024-12-09 12:08:00	2024-12-09 12:15:00	fall	1	couloir	{"outcome": "self-rescued", "casualties": 2, "helicopter": false}
103	30	2024-12-09 12:53:00	2024-12-09 13:11:00	2024-12-09 13:38:00	lost	4	summit ridge	{"outcome": "rescued", "casualties": 3, "helicopter": false}
104	20	2024-12-09 23:40:00	2024-12-09 23:50:00	2024-12-10 00:13:00	lost	\N	couloir	{"outcome": "rescued", "casualties": 1, "helicopter": false}
105	30	2024-12-14 05:01:00	2024-12-14 05:17:00	2024-12-14 05:27:00	crevasse	2	summit ridge	{"cost": {"fuel_l": 128.2, "flight_min": 41}, "outcome": "rescued", "casualties": 1, "helicopter": true}
106	1	2024-12-14 13:13:00	\N	\N	fall	1	glacier	{"outcome": "self-rescued", "casualties": 1, "helicopter": false}
107	5	2024-12-14 17:21:00	2024-12-14 17:24:00	2024-12-14 17:37:00	fall	1	ski run	{"outcome": "self-rescued", "casualties": 1, "helicopter": false}
108	21	2024-12-17 09:01:00	2024-12-17 09:12:00	\N	false alarm	3	forest	{"outcome": "none", "casualties": 0, "helicopter": false}
109	2	2024-12-21 04:56:00	2024-12-21 05:05:00	2024-12-21 07:27:00	medical	2	via ferrata	{"outcome": "rescued", "casualties": 1, "helicopter": false}
110	2	2024-12-21 10:45:00	2024-12-21 11:01:00	2024-12-21 12:37:00	lost	2	glacier	{"outcome": "rescued", "casualties": 3, "helicopter": false}
111	25	2024-12-21 13:30:00	2024-12-21 13:44:00	2024-12-21 15:58:00	avalanche	\N	\N	{"cost": {"fuel_l": null, "flight_min": 78}, "outcome": "rescued", "casualties": 1, "helicopter": true}
112	16	2024-12-21 17:04:00	2024-12-21 17:25:00	2024-12-21 17:43:00	fall	1	\N	{"outcome": "rescued", "casualties": 1, "helicopter": false}
113	1	2024-12-28 09:11:00	2024-12-28 09:34:00	2024-12-28 10:09:00	fall	\N	ski run	{"outcome": "rescued", "casualties": 1, "helicopter": false}
114	32	2024-12-28 13:00:00	2024-12-28 13:26:00	2024-12-28 13:49:00	lost	2	glacier	{"cost": {"fuel_l": 278.1, "flight_min": 90}, "outcome": "rescued", "casualties": 1, "helicopter": true}
115	37	2024-12-31 03:55:00	2024-12-31 04:19:00	2024-12-31 04:52:00	avalanche	3	couloir	{"cost": {"fuel_l": 31.9, "flight_min": 10}, "outcome": "rescued", "casualties": 2, "helicopter": true}
116	8	2024-12-31 07:57:00	2024-12-31 08:13:00	2024-12-31 08:20:00	medical	5	glacier	{"outcome": "self-rescued", "casualties": 1, "helicopter": false}
117	2	2024-12-31 11:18:00	2024-12-31 11:43:00	2024-12-31 12:32:00	false alarm	3	ski run	{"cost": {"fuel_l": 234.3, "flight_min": 77}, "outcome": "none", "casualties": 0, "helicopter": true}
118	16	2024-12-31 20:28:00	2024-12-31 20:35:00	2024-12-31 23:03:00	fall	2	summit ridge	{"outcome": "rescued", "casualties": 1, "helicopter": false}
119	29	2025-01-07 01:35:00	2025-01-07 01:41:00	2025-01-07 03:41:00	false alarm	4	via ferrata	{"outcome": "none", "casualties": 0, "helicopter": false}
120	36	2025-01-07 16:26:00	2025-01-07 16:47:00	2025-01-07 17:18:00	fall	0	via ferrata	{"outcome": "rescued", "casualties": 1, "helicopter": false}
121	38	2025-01-07 17:58:00	2025-01-07 18:16:00	\N	false alarm	2	via ferrata	{"outcome": "none", "casualties": 0, "helicopter": false}
122	14	2025-01-08 14:18:00	2025-01-08 14:33:00	2025-01-08 14:49:00	lost	3	forest	{"outcome": "rescued", "casualties": 1, "helicopter": false}
123	27	2025-01-09 01:07:00	2025-01-09 01:16:00	2025-01-09 01:23:00	fall	3	via ferrata	{"outcome": "rescued", "casualties": 3, "helicopter": false}
124	14	2025-01-14 06:57:00	2025-01-14 07:23:00	\N	false alarm	4	ski run	{"outcome": "none", "casualties": 0, "helicopter": false}
125	14	2025-01-16 04:22:00	2025-01-16 04:28:00	2025-01-16 07:05:00	fall	3	glacier	{"cost": {"fuel_l": 154.1, "flight_min": 50}, "outcome": "rescued", "casualties": 2, "helicopter": true}
126	36	2025-01-19 02:14:00	2025-01-19 02:39:00	2025-01-19 03:35:00	avalanche	0	couloir	{"outcome": "rescued", "casualties": 1, "helicopter": false}
127	26	2025-01-19 05:58:00	2025-01-19 06:04:00	2025-01-19 06:27:00	fall	0	glacier	{"outcome": "self-rescued", "casualties": 3, "helicopter": false}
128	29	2025-01-19 09:10:00	2025-01-19 09:21:00	2025-01-19 09:56:00	lost	2	glacier	{"outcome": "self-rescued", "casualties": 2, "helicopter": false}
129	12	2025-01-19 10:53:00	2025-01-19 11:08:00	2025-01-19 12:11:00	medical	\N	summit ridge	{"cost": {"fuel_l": 221.3, "flight_min": 71}, "outcome": "rescued", "casualties": 1, "helicopter": true}
130	18	2025-01-19 12:27:00	2025-01-19 12:37:00	2025-01-19 12:45:00	avalanche	0	couloir	{"outcome": "rescued", "casualties": 1, "helicopter": false}
131	22	2025-01-19 18:05:00	2025-01-19 18:20:00	2025-01-19 18:26:00	fall	2	couloir	{"cost": {"fuel_l": null, "flight_min": 30}, "outcome": "rescued", "casualties": 1, "helicopter": true}
132	4	2025-01-22 10:44:00	2025-01-22 11:09:00	\N	crevasse	2	\N	{"outcome": "rescued", "casualties": 1, "helicopter": false}
133	17	2025-01-22 13:15:00	2025-01-22 13:43:00	2025-01-22 14:07:00	fall	\N	\N	{"outcome": "rescued", "casualties": 2, "helicopter": false}
134	5	2025-01-23 10:12:00	2025-01-23 10:26:00	2025-01-23 12:05:00	fall	4	couloir	{"outcome": "self-rescued", "casualties": 1, "helicopter": false}
135	23	2025-01-23 18:36:00	2025-01-23 18:56:00	2025-01-23 19:07:00	avalanche	0	couloir	{"outcome": "rescued", "casualties": 2, "helicopter": false}
136	19	2025-01-23 19:40:00	2025-01-23 19:50:00	2025-01-23 19:56:00	lost	4	ski run	{"outcome": "rescued", "casualties": 1, "helicopter": false}
137	23	2025-01-29 12:06:00	2025-01-29 12:09:00	2025-01-29 12:24:00	fall	0	forest	{"outcome": "rescued", "casualties": 3, "helicopter": false}
138	1	2025-01-29 19:20:00	2025-01-29 19:35:00	2025-01-29 19:46:00	medical	5	couloir	{"outcome": "rescued", "casualties": 1, "helicopter": false}
139	1	2025-01-29 21:20:00	2025-01-29 21:40:00	2025-01-29 21:57:00	false alarm	1	couloir	{"cost": {"fuel_l": 253.9, "flight_min": 84}, "outcome": "none", "casualties": 0, "helicopter": true}
140	7	2025-01-31 02:07:00	2025-01-31 02:18:00	2025-01-31 02:26:00	false alarm	1	glacier	{"cost": {"fuel_l": 118.3, "flight_min": 38}, "outcome": "none", "casualties": 0, "helicopter": true}
141	10	2025-02-01 00:52:00	2025-02-01 01:18:00	2025-02-01 01:51:00	medical	2	via ferrata	{"outcome": "rescued", "casualties": 2, "helicopter": false}
142	27	2025-02-02 09:14:00	2025-02-02 09:27:00	2025-02-02 11:50:00	lost	7	\N	{"outcome": "rescued", "casualties": 3, "helicopter": false}
143	35	2025-02-02 12:23:00	2025-02-02 12:36:00	2025-02-02 13:41:00	fall	0	couloir	{"outcome": "rescued", "casualties": 3, "helicopter": false}
144	13	2025-02-08 21:37:00	2025-02-08 21:46:00	2025-02-08 22:11:00	fall	3	\N	{"outcome": "dead", "casualties": 3, "helicopter": false}
145	18	2025-02-15 05:59:00	2025-02-15 06:27:00	2025-02-15 07:01:00	avalanche	3	forest	{"outcome": "self-rescued", "casualties": 3, "helicopter": false}
146	27	2025-02-15 15:27:00	2025-02-15 15:42:00	2025-02-15 15:55:00	medical	\N	summit ridge	{"cost": {"fuel_l": 200.8, "flight_min": 64}, "outcome": "rescued", "casualties": 2, "helicopter": true}
147	26	2025-02-15 18:50:00	2025-02-15 19:00:00	2025-02-15 19:11:00	false alarm	5	summit ridge	{"outcome": "none", "casualties": 0, "helicopter": false}
148	15	2025-02-18 19:17:00	\N	\N	false alarm	3	via ferrata	{"outcome": "none", "casualties": 0, "helicopter": false}
149	35	2025-02-19 07:58:00	2025-02-19 08:04:00	2025-02-19 08:22:00	lost	4	couloir	{"cost": {"fuel_l": null, "flight_min": 48}, "outcome": "rescued", "casualties": 2, "helicopter": true}
150	12	2025-02-20 03:53:00	2025-02-20 04:06:00	\N	false alarm	7	via ferrata	{"outcome": "none", "casualties": 0, "helicopter": false}
151	24	2025-02-25 01:26:00	2025-02-25 01:36:00	2025-02-25 03:21:00	medical	3	forest	{"cost": {"fuel_l": 57.6, "flight_min": 18}, "outcome": "rescued", "casualties": 1, "helicopter": true}
152	1	2025-02-25 04:36:00	\N	\N	fall	\N	via ferrata	{"outcome": "rescued", "casualties": 3, "helicopter": false}
153	36	2025-02-25 16:45:00	\N	\N	fall	3	glacier	{"outcome": "self-rescued", "casualties": 1, "helicopter": false}
154	22	2025-02-25 20:53:00	2025-02-25 21:00:00	2025-02-25 21:25:00	medical	3	forest	{"cost": {"fuel_l": 209.3, "flight_min": 69}, "outcome": "self-rescued", "casualties": 2, "helicopter": true}
155	31	2025-02-26 15:20:00	2025-02-26 15:45:00	\N	false alarm	4	glacier	{"outcome": "none", "casualties": 0, "helicopter": false}
156	1	2025-02-28 01:17:00	2025-02-28 01:45:00	2025-02-28 04:05:00	fall	1	via ferrata	{"outcome": "rescued", "casualties": 3, "helicopter": false}
157	34	2025-02-28 10:27:00	\N	\N	fall	0	couloir	{"outcome": "rescued", "casualties": 1, "helicopter": false}
158	39	2025-02-28 16:36:00	2025-02-28 16:57:00	2025-02-28 17:12:00	avalanche	1	forest	{"outcome": "rescued", "casualties": 1, "helicopter": false}
159	14	2025-03-01 07:42:00	2025-03-01 07:45:00	2025-03-01 08:10:00	medical	2	glacier	{"outcome": "rescued", "casualties": 1, "helicopter": false}
160	4	2025-03-03 19:00:00	2025-03-03 19:08:00	\N	false alarm	7	forest	{"outcome": "none", "casualties": 0, "helicopter": false}
161	2	2025-03-05 12:55:00	2025-03-05 13:05:00	2025-03-05 13:20:00	medical	2	forest	{"cost": {"fuel_l": 40.3, "flight_min": 13}, "outcome": "rescued", "casualties": 3, "helicopter": true}
162	22	2025-03-06 01:17:00	2025-03-06 01:22:00	2025-03-06 01:46:00	fall	0	couloir	{"outcome": "rescued", "casualties": 1, "helicopter": false}
163	6	2025-03-06 05:43:00	2025-03-06 06:09:00	2025-03-06 06:34:00	lost	3	via ferrata	{"cost": {"fuel_l": 191.1, "flight_min": 63}, "outcome": "rescued", "casualties": 3, "helicopter": true}
164	6	2025-03-06 10:46:00	2025-03-06 11:03:00	2025-03-06 12:49:00	false alarm	4	\N	{"outcome": "none", "casualties": 0, "helicopter": false}
165	36	2025-03-06 11:24:00	2025-03-06 11:47:00	2025-03-06 13:56:00	avalanche	2	via ferrata	{"outcome": "rescued", "casualties": 1, "helicopter": false}
166	31	2025-03-10 08:13:00	2025-03-10 08:26:00	2025-03-10 08:52:00	fall	2	forest	{"outcome": "rescued", "casualties": 1, "helicopter": false}
167	3	2025-03-10 12:40:00	2025-03-10 13:01:00	2025-03-10 13:17:00	medical	2	glacier	{"cost": {"fuel_l": 73.6, "flight_min": 23}, "outcome": "rescued", "casualties": 2, "helicopter": true}
168	6	2025-03-10 17:21:00	2025-03-10 17:32:00	2025-03-10 18:01:00	lost	7	via ferrata	{"outcome": "rescued", "casualties": 1, "helicopter": false}
169	23	2025-03-13 15:57:00	2025-03-13 16:07:00	2025-03-13 16:41:00	avalanche	2	forest	{"outcome": "rescued", "casualties": 1, "helicopter": false}
170	13	2025-03-15 00:41:00	2025-03-15 00:59:00	\N	false alarm	\N	summit ridge	{"outcome": "none", "casualties": 0, "helicopter": false}
171	8	2025-03-15 08:40:00	2025-03-15 08:53:00	2025-03-15 09:07:00	lost	0	via ferrata	{"cost": {"fuel_l": 150.5, "flight_min": 50}, "outcome": "rescued", "casualties": 1, "helicopter": true}
172	22	2025-03-15 16:30:00	2025-03-15 16:48:00	2025-03-15 18:51:00	lost	7	summit ridge	{"cost": {"fuel_l": 248.6, "flight_min": 81}, "outcome": "rescued", "casualties": 1, "helicopter": true}
173	7	2025-03-18 03:46:00	2025-03-18 03:50:00	2025-03-18 04:19:00	fall	\N	forest	{"outcome": "rescued", "casualties": 3, "helicopter": false}
174	12	2025-03-18 16:13:00	2025-03-18 16:22:00	2025-03-18 16:43:00	avalanche	0	\N	{"outcome": "rescued", "casualties": 3, "helicopter": false}
175	9	2025-03-18 20:20:00	2025-03-18 20:27:00	2025-03-18 20:49:00	fall	1	summit ridge	{"outcome": "self-rescued", "casualties": 1, "helicopter": false}
176	13	2025-03-22 01:03:00	2025-03-22 01:26:00	2025-03-22 01:37:00	avalanche	4	forest	{"outcome": "self-rescued", "casualties": 3, "helicopter": false}
177	6	2025-03-22 01:09:00	2025-03-22 01:19:00	\N	medical	4	couloir	{"outcome": "rescued", "casualties": 1, "helicopter": false}
178	7	2025-03-22 14:47:00	2025-03-22 15:07:00	2025-03-22 15:38:00	medical	3	couloir	{"outcome": "rescued", "casualties": 2, "helicopter": false}
179	6	2025-03-27 18:48:00	2025-03-27 19:10:00	2025-03-27 19:22:00	avalanche	\N	glacier	{"cost": {"fuel_l": null, "flight_min": 85}, "outcome": "rescued", "casualties": 2, "helicopter": true}
180	3	2025-03-30 07:38:00	2025-03-30 07:48:00	2025-03-30 07:58:00	avalanche	3	glacier	{"outcome": "dead", "casualties": 1, "helicopter": false}
181	19	2025-04-01 02:41:00	2025-04-01 02:57:00	\N	false alarm	2	couloir	{"outcome": "none", "casualties": 0, "helicopter": false}
182	6	2025-04-02 16:22:00	2025-04-02 16:36:00	2025-04-02 16:55:00	avalanche	1	forest	{"cost": {"fuel_l": null, "flight_min": 47}, "outcome": "rescued", "casualties": 2, "helicopter": true}
183	2	2025-04-05 12:03:00	2025-04-05 12:18:00	2025-04-05 14:32:00	fall	3	summit ridge	{"outcome": "rescued", "casualties": 3, "helicopter": false}
184	31	2025-04-06 00:39:00	2025-04-06 00:51:00	2025-04-06 01:26:00	lost	0	summit ridge	{"outcome": "rescued", "casualties": 1, "helicopter": false}
185	22	2025-04-07 09:27:00	2025-04-07 09:44:00	2025-04-07 10:04:00	lost	4	forest	{"outcome": "self-rescued", "casualties": 1, "helicopter": false}
186	19	2025-04-09 12:13:00	2025-04-09 12:30:00	2025-04-09 15:13:00	false alarm	\N	summit ridge	{"outcome": "none", "casualties": 0, "helicopter": false}
187	23	2025-04-11 15:45:00	2025-04-11 15:48:00	2025-04-11 16:00:00	crevasse	\N	via ferrata	{"outcome": "rescued", "casualties": 1, "helicopter": false}
188	37	2025-04-16 00:55:00	\N	\N	fall	0	ski run	{"outcome": "self-rescued", "casualties": 1, "helicopter": false}
189	21	2025-04-16 05:11:00	2025-04-16 05:34:00	2025-04-16 05:42:00	avalanche	5	summit ridge	{"outcome": "rescued", "casualties": 2, "helicopter": false}
190	26	2025-04-16 06:23:00	2025-04-16 06:45:00	2025-04-16 08:16:00	avalanche	\N	\N	{"outcome": "rescued", "casualties": 1, "helicopter": false}
191	14	2025-04-16 12:08:00	2025-04-16 12:36:00	2025-04-16 12:44:00	avalanche	5	summit ridge	{"outcome": "self-rescued", "casualties": 2, "helicopter": false}
192	36	2025-04-16 16:02:00	2025-04-16 16:06:00	2025-04-16 16:15:00	avalanche	2	via ferrata	{"cost": {"fuel_l": null, "flight_min": 74}, "outcome": "rescued", "casualties": 3, "helicopter": true}
193	10	2025-04-18 13:01:00	2025-04-18 13:17:00	2025-04-18 13:54:00	fall	2	glacier	{"cost": {"fuel_l": 98.0, "flight_min": 31}, "outcome": "rescued", "casualties": 2, "helicopter": true}
194	8	2025-04-19 23:52:00	2025-04-19 23:57:00	2025-04-20 00:18:00	lost	2	\N	{"outcome": "dead", "casualties": 1, "helicopter": false}
195	20	2025-04-20 08:29:00	2025-04-20 08:45:00	2025-04-20 09:04:00	avalanche	2	couloir	{"outcome": "self-rescued", "casualties": 3, "helicopter": false}
196	11	2025-04-20 18:25:00	2025-04-20 18:50:00	2025-04-20 19:23:00	false alarm	4	couloir	{"outcome": "none", "casualties": 0, "helicopter": false}
197	14	2025-04-22 14:51:00	\N	\N	fall	4	glacier	{"outcome": "rescued", "casualties": 1, "helicopter": false}
198	36	2025-04-26 05:37:00	2025-04-26 05:55:00	2025-04-26 08:00:00	lost	\N	forest	{"outcome": "rescued", "casualties": 2, "helicopter": false}
\.


--
-- Name: missions_mission_id_seq; Type: SEQUENCE SET; Schema: public; Owner: root
--

SELECT pg_catalog.setval('public.missions_mission_id_seq', 198, true);


--
-- Name: missions missions_pkey; Type: CONSTRAINT; Schema: public; Owner: root
--

ALTER TABLE ONLY public.missions
    ADD CONSTRAINT missions_pkey PRIMARY KEY (mission_id);


--
-- Name: missions_alerted_at_idx; Type: INDEX; Schema: public; Owner: root
--

CREATE INDEX missions_alerted_at_idx ON public.missions USING btree (alerted_at);


--
-- Name: missions missions_base_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: root
--

ALTER TABLE ONLY public.missions
    ADD CONSTRAINT missions_base_id_fkey FOREIGN KEY (base_id) REFERENCES public.bases(base_id);


--
-- PostgreSQL database dump complete
--
