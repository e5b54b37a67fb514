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
-- Name: accessions; Type: TABLE; Schema: public; Owner: root
--

CREATE TABLE public.accessions (
    accession_no text NOT NULL,
    species_id integer NOT NULL,
    vault_id text,
    curator_id integer,
    status text NOT NULL,
    country text NOT NULL,
    collected_on date,
    received_at timestamp without time zone NOT NULL,
    seed_count integer,
    thousand_seed_g numeric(8,3) NOT NULL,
    passport jsonb NOT NULL
);


ALTER TABLE public.accessions OWNER TO root;

--
-- Name: accessions; Type: TABLE DATA; Schema: public; Owner: root
--

COPY public.accessions (accession_no, species_id, vault_id, curator_id, status, country, collected_on, received_at, seed_count, thousand_seed_g, passport) FROM stdin;
SV-0001	35	C-04	5	active	Ireland	2008-02-26	2009-01-08 03:49:00	1650	15.803	{"site": {"lat": 56.38, "lon": 22.54, "elevation_m": 490}, "permits": ["P-3268"], "collector": "K. Þórsson"}
SV-0002	18	\N	4	active	France	2008-12-10	2009-02-17 03:20:00	2203	9.832	{"habitat": "roadside", "permits": [], "collector": "A. de l'Épée"}
SV-0003	15	D-09	8	active	Türkiye	2006-12-12	2009-02-25 12:57:00	7274	21.444	{"site": {"lat": 64.07, "lon": 38.61, "elevation_m": 640}, "habitat": "peat bog", "permits": ["P-2402"], "collector": "M. O'Brien"}
SV-0004	20	C-01	11	active	Slovenia	2006-12-28	2009-03-23 12:38:00	3405	3.741	{"site": {"lat": 63.26, "lon": 8.4, "elevation_m": 1170}, "permits": [], "collector": "M. O'Brien"}
SV-0005	8	D-09	5	active	Norway	2008-12-14	2009-03-25 03:30:00	3521	33.603	{"habitat": "dunes", "permits": [], "collector": "unknown party"}
SV-0006	3	B-07	29	active	Norway	2008-09-27	2009-05-02 01:03:00	1602	1.321	{"site": {"lat": 51.19, "lon": 20.55, "elevation_m": null}, "habitat": "scree", "permits": ["P-2559", "P-3718"]}
SV-0007	13	B-08	10	duplicate	Slovenia	2007-08-23	2009-05-22 19:03:00	5634	10.574	{"site": {"lat": 44.26, "lon": -1.59, "elevation_m": 270}, "habitat": "peat bog", "permits": ["P-6125", "P-8677"], "collector": "M. O'Brien"}
SV-0008	1	A-05	19	active	Spain	2008-07-08	2009-05-31 12:43:00	3242	12.225	{"permits": ["P-1791", "P-8195"], "collector": "A. de l'Épée"}
SV-0009	9	D-03	12	active	Ireland	2007-06-14	2009-08-31 23:23:00	\N	2.021	{"site": {"lat": 38.37, "lon": 11.14, "elevation_m": 390}, "permits": ["P-5949"], "collector": "A. de l'Épée"}
SV-0010	22	A-08	2	withdrawn	Norway	2007-08-17	2009-11-09 10:27:00	5118	14.866	{"habitat": "dunes", "permits": ["P-2572"], "collector": "unknown party"}
SV-0011	13	C-03	29	active	Ireland	2008-10-12	2010-01-01 04:37:00	3871	9.952	{"site": {"lat": 62.93, "lon": 38.97, "elevation_m": 1540}, "habitat": "scree", "permits": ["P-1081"], "collector": "unknown party"}
SV-0012	10	A-08	17	active	Italy	2009-02-03	2010-01-19 18:54:00	3756	17.663	{"site": {"lat": 60.31, "lon": 15.89, "elevation_m": 300}, "habitat": "wet meadow", "permits": ["P-2289", "P-7802"]}
SV-0013	45	\N	1	active	Romania	2009-02-23	2010-02-02 23:29:00	\N	30.497	{"site": {"lat": 38.78, "lon": 6.39, "elevation_m": null}, "permits": [], "collector": "T. \\"Seedy\\" Quill"}
SV-0014	11	B-04	6	active	Ireland	2009-06-06	2010-02-08 06:13:00	\N	25.143	{"permits": ["P-5494"], "collector": "M. O'Brien"}
SV-0015	2	C-10	13	active	Ireland	2008-12-15	2010-02-15 23:42:00	3217	13.498	{"site": {"lat": 43.2, "lon": 10.59, "elevation_m": 580}, "habitat": "peat bog", "permits": [], "collector": "A. de l'Épée"}
SV-0016	1	D-10	10	quarantine	Slovenia	2009-05-02	2010-02-25 21:31:00	3638	7.790	{"site": {"lat": 48.78, "lon": 22.53, "elevation_m": 1750}, "habitat": "peat bog", "permits": [], "collector": "T. \\"Seedy\\" Quill"}
SV-0017	4	B-09	\N	active	Slovenia	2007-10-19	2010-03-20 20:34:00	1657	11.723	{"habitat": "peat bog", "permits": ["P-2661"], "collector": "R. Nuñez & S. Çelik"}
SV-0018	31	C-10	1	active	Spain	\N	2010-03-21 23:44:00	6826	29.797	{"permits": [], "collector": "K. Þórsson"}
SV-0019	3	A-01	17	duplicate	Spain	\N	2010-03-25 09:01:00	1128	4.978	{"site": {"lat": 67.35, "lon": 17.9, "elevation_m": null}, "habitat": "dry grassland", "permits": ["P-9431"], "collector": "M. O'Brien"}
SV-0020	27	C-06	28	active	Ireland	2008-12-23	2010-03-27 02:20:00	1346	27.000	{"site": {"lat": 36.06, "lon": 21.0, "elevation_m": 300}, "habitat": "old field", "permits": [], "collector": "T. \\"Seedy\\" Quill"}
SV-0021	14	D-05	5	active	Romania	2008-06-23	2010-05-11 01:49:00	1018	9.259	{"site": {"lat": 69.12, "lon": 26.78, "elevation_m": 720}, "permits": ["P-3518", "P-3634"], "collector": "unknown party"}
SV-0022	41	C-03	2	duplicate	Italy	2009-01-09	2010-05-22 09:52:00	7580	13.700	{"site": {"lat": 51.22, "lon": 4.39, "elevation_m": 50}, "habitat": "old field", "permits": ["P-8815", "P-1005"], "collector": "K. Þórsson"}
SV-0023	18	C-06	10	quarantine	Türkiye	2010-04-13	2010-08-03 02:24:00	2507	30.453	{"habitat": "dunes", "permits": [], "collector": "A. de l'Épée"}
SV-0024	16	A-03	5	duplicate	Norway	2009-04-29	2010-11-17 21:31:00	2140	0.864	{"site": {"lat": 46.48, "lon": 32.7, "elevation_m": 1310}, "habitat": "dry grassland", "permits": [], "collector": "T. \\"Seedy\\" Quill"}
SV-0025	53	D-10	2	duplicate	Türkiye	2008-07-11	2010-11-18 15:53:00	4141	15.699	{"site": {"lat": 60.61, "lon": -1.15, "elevation_m": 640}, "habitat": "wet meadow", "permits": [], "collector": "K. Þórsson"}
SV-0026	2	D-09	\N	duplicate	Romania	2009-01-22	2010-12-05 11:12:00	628	7.947	{"site": {"lat": 65.51, "lon": 36.05, "elevation_m": 2090}, "habitat": "dunes", "permits": ["P-4790", "P-3974"], "collector": "unknown party"}
SV-0027	5	B-05	9	active	Romania	\N	2011-01-16 01:30:00	7012	12.531	{"site": {"lat": 62.29, "lon": 3.09, "elevation_m": 2080}, "permits": [], "collector": "A. de l'Épée"}
SV-0028	16	D-10	14	active	Türkiye	2008-11-26	2011-02-09 14:08:00	1602	19.464	{"permits": ["P-3349"], "collector": "K. Þórsson"}
SV-0029	10	D-03	33	active	Türkiye	2010-06-02	2011-02-19 04:04:00	\N	22.721	{"habitat": "wet meadow", "permits": ["P-5003"], "collector": "A. de l'Épée"}
SV-0030	33	D-05	9	active	Spain	2010-03-07	2011-03-17 21:03:00	1033	25.389	{"site": {"lat": 37.33, "lon": 3.91, "elevation_m": null}, "habitat": "dry grassland", "permits": ["P-2889"], "collector": "A. de l'Épée"}
SV-0031	9	\N	9	duplicate	Italy	2011-02-15	2011-04-20 12:50:00	2557	27.209	{"site": {"lat": 40.66, "lon": 4.29, "elevation_m": 1590}, "habitat": "dry grassland", "permits": ["P-3542"], "collector": "K. Þórsson"}
SV-0032	1	B-01	16	duplicate	Spain	2010-03-20	2011-04-24 06:27:00	661	6.308	{"site": {"lat": 45.3, "lon": 13.14, "elevation_m": 1900}, "habitat": "wet meadow", "permits": [], "collector": "T. \\"Seedy\\" Quill"}
SV-0033	25	B-02	30	duplicate	Italy	2009-06-02	2011-05-15 12:34:00	1167	3.610	{"permits": [], "collector": "T. \\"Seedy\\" Quill"}
SV-0034	11	C-05	32	active	Romania	2009-01-14	2011-06-19 03:23:00	3631	3.676	{"site": {"lat": 50.32, "lon": 38.34, "elevation_m": 510}, "habitat": "dry grassland", "permits": [], "collector": "R. Nuñez & S. Çelik"}
SV-0035	20	D-06	19	duplicate	Romania	2009-07-21	2011-06-21 12:44:00	7393	9.428	{"site": {"lat": 50.78, "lon": 32.38, "elevation_m": 1620}, "permits": [], "collector": "M. O'Brien"}
SV-0036	37	B-02	16	duplicate	Slovenia	\N	2011-06-30 14:31:00	7585	24.629	{"site": {"lat": 38.41, "lon": 28.28, "elevation_m": 1660}, "habitat": "wet meadow", "permits": []}
SV-0037	11	\N	16	active	Slovenia	2010-08-15	2011-07-05 01:41:00	\N	28.009	{"site": {"lat": 41.89, "lon": 26.97, "elevation_m": 1520}, "habitat": "peat bog", "permits": [], "collector": "M. O'Brien"}
SV-0038	11	D-06	10	active	France	2010-03-17	2011-07-25 13:12:00	\N	16.402	{"habitat": "peat bog", "permits": [], "collector": "K. Þórsson"}
SV-0039	11	\N	\N	active	Italy	2011-01-25	2011-08-19 05:51:00	3408	14.776	{"site": {"lat": 46.88, "lon": 0.5, "elevation_m": 900}, "habitat": "wet meadow", "permits": []}
SV-0040	7	B-04	19	active	Italy	2009-03-18	2011-08-19 10:03:00	4308	27.560	{"site": {"lat": 56.41, "lon": 14.11, "elevation_m": 2130}, "permits": [], "collector": "K. Þórsson"}
SV-0041	19	B-01	12	duplicate	Norway	2011-07-28	2011-09-03 08:56:00	1888	15.436	{"site": {"lat": 41.85, "lon": 2.86, "elevation_m": 510}, "habitat": "peat bog", "permits": ["P-9608"], "collector": "A. de l'Épée"}
SV-0042	33	B-03	18	active	Norway	2010-11-17	2011-09-06 23:42:00	798	4.302	{"site": {"lat": 57.69, "lon": -1.13, "elevation_m": null}, "habitat": "old field", "permits": ["P-3955", "P-8602"], "collector": "T. \\"Seedy\\" Quill"}
SV-0043	34	C-06	10	active	Romania	2010-05-03	2011-09-30 03:52:00	5366	29.567	{"site": {"lat": 63.42, "lon": 28.22, "elevation_m": 1520}, "habitat": "roadside", "permits": [], "collector": "T. \\"Seedy\\" Quill"}
SV-0044	13	A-06	29	active	Türkiye	2011-08-05	2011-11-30 03:32:00	778	4.536	{"site": {"lat": 47.17, "lon": 22.98, "elevation_m": 1060}, "habitat": "dunes", "permits": [], "collector": "unknown party"}
SV-0045	21	B-10	15	withdrawn	Spain	2010-08-25	2011-12-31 10:36:00	1459	14.545	{"site": {"lat": 53.73, "lon": 6.78, "elevation_m": 2470}, "permits": ["P-5688", "P-1690"], "collector": "K. Þórsson"}
SV-0046	24	D-03	35	active	Ireland	2009-08-27	2012-01-09 16:10:00	2467	31.115	{"site": {"lat": 45.7, "lon": 13.34, "elevation_m": 2540}, "permits": [], "collector": "T. \\"Seedy\\" Quill"}
SV-0047	4	C-03	29	active	Türkiye	\N	2012-03-11 09:32:00	2034	3.245	{"habitat": "peat bog", "permits": ["P-6323"], "collector": "unknown party"}
SV-0048	10	B-03	8	quarantine	Norway	2011-07-30	2012-04-25 23:43:00	2351	13.215	{"site": {"lat": 39.0, "lon": 9.28, "elevation_m": 1790}, "habitat": "roadside", "permits": ["P-3051"], "collector": "M. O'Brien"}
SV-0049	3	C-10	2	active	Romania	2010-04-19	2012-05-10 06:24:00	4065	12.851	{"site": {"lat": 43.13, "lon": 30.57, "elevation_m": 2510}, "habitat": "dunes", "permits": ["P-7684"], "collector": "unknown party"}
SV-0050	5	D-02	30	active	Italy	2010-09-25	2012-05-11 06:21:00	\N	19.069	{"habitat": "scree", "permits": ["P-1845", "P-8700"], "collector": "K. Þórsson"}
SV-0051	5	C-07	27	active	Spain	2012-03-19	2012-05-25 14:02:00	1302	1.545	{"site": {"lat": 51.41, "lon": -8.22, "elevation_m": 120}, "habitat": "old field", "permits": ["P-6483"]}
SV-0052	1	D-03	17	active	Spain	2011-10-31	2012-08-20 13:38:00	1295	6.178	{"site": {"lat": 55.7, "lon": 16.44, "elevation_m": 1890}, "habitat": "wet meadow", "permits": [], "collector": "T. \\"Seedy\\" Quill"}
SV-0053	45	\N	15	active	Ireland	2011-01-01	2012-08-26 22:09:00	536	29.398	{"site": {"lat": 38.13, "lon": -3.49, "elevation_m": 2440}, "habitat": "old field", "permits": [], "collector": "unknown party"}
SV-0054	42	D-08	15	active	Spain	2010-09-01	2012-09-10 08:33:00	760	7.522	{"habitat": "dry grassland", "permits": []}
SV-0055	31	A-04	7	active	Spain	\N	2012-10-01 20:49:00	2583	0.648	{"site": {"lat": 43.16, "lon": 21.0, "elevation_m": 2270}, "habitat": "dunes", "permits": [], "collector": "R. Nuñez & S. Çelik"}
SV-0056	5	C-02	19	active	France	2011-05-16	2012-10-27 19:14:00	5781	6.749	{"permits": ["P-4686"]}
SV-0057	13	C-01	18	active	Spain	2012-07-21	2012-12-06 11:38:00	2651	7.928	{"site": {"lat": 65.98, "lon": 22.99, "elevation_m": 2230}, "habitat": "old field", "permits": [], "collector": "unknown party"}
SV-0058	4	B-07	18	active	Norway	2012-09-04	2012-12-30 15:32:00	4280	23.038	{"site": {"lat": 56.93, "lon": 19.37, "elevation_m": 1390}, "permits": []}
SV-0059	36	D-01	7	active	Türkiye	2011-05-06	2013-03-04 20:00:00	4891	5.332	{"site": {"lat": 38.42, "lon": 24.04, "elevation_m": 80}, "permits": ["P-6895"], "collector": "A. de l'Épée"}
SV-0060	49	\N	23	active	Italy	2011-03-05	2013-05-06 17:02:00	1842	4.239	{"site": {"lat": 65.71, "lon": 16.31, "elevation_m": 2020}, "habitat": "old field", "permits": [], "collector": "M. O'Brien"}
SV-0061	15	A-05	8	active	Türkiye	2012-09-09	2013-05-09 06:43:00	2603	10.310	{"site": {"lat": 67.38, "lon": 31.6, "elevation_m": 1850}, "habitat": "scree", "permits": [], "collector": "R. Nuñez & S. Çelik"}
SV-0062	2	D-08	5	active	France	2012-02-14	2013-06-08 08:13:00	\N	1.275	{"site": {"lat": 45.64, "lon": -3.81, "elevation_m": 620}, "habitat": "roadside", "permits": ["P-7245"], "collector": "K. Þórsson"}
SV-0063	9	C-01	\N	active	Romania	2012-05-10	2013-07-06 03:56:00	92	19.812	{"site": {"lat": 49.45, "lon": -6.44, "elevation_m": 450}, "habitat": "dunes", "permits": ["P-3997", "P-7759"], "collector": "M. O'Brien"}
SV-0064	3	D-07	3	duplicate	Türkiye	2013-04-24	2013-07-31 01:11:00	7108	6.984	{"site": {"lat": 39.31, "lon": -2.95, "elevation_m": 430}, "habitat": "wet meadow", "permits": ["P-2288", "P-8246"]}
SV-0065	7	B-04	12	active	Italy	\N	2013-11-20 22:43:00	2724	12.948	{"site": {"lat": 69.16, "lon": -7.65, "elevation_m": null}, "permits": ["P-8993"], "collector": "K. Þórsson"}
SV-0066	18	D-07	36	active	Spain	2012-05-26	2013-11-26 08:00:00	3241	27.565	{"permits": [], "collector": "T. \\"Seedy\\" Quill"}
SV-0067	32	B-02	2	active	Türkiye	2013-01-04	2014-01-06 19:15:00	895	20.958	{"site": {"lat": 60.49, "lon": 24.42, "elevation_m": 1920}, "habitat": "roadside", "permits": ["P-8835", "P-5928"], "collector": "A. de l'Épée"}
SV-0068	38	D-02	6	withdrawn	Slovenia	2014-01-30	2014-02-23 03:52:00	200	36.530	{"site": {"lat": 54.58, "lon": 22.54, "elevation_m": 1790}, "habitat": "wet meadow", "permits": ["P-6937"], "collector": "R. Nuñez & S. Çelik"}
SV-0069	26	A-04	13	active	Norway	2012-12-01	2014-03-24 10:17:00	4296	10.852	{"site": {"lat": 57.48, "lon": 13.33, "elevation_m": null}, "habitat": "peat bog", "permits": ["P-9110", "P-9271"], "collector": "A. de l'Épée"}
SV-0070	16	D-06	13	active	Italy	2012-02-11	2014-04-01 23:08:00	493	0.242	{"site": {"lat": 65.68, "lon": 5.47, "elevation_m": 150}, "permits": ["P-3268"], "collector": "K. Þórsson"}
SV-0071	26	\N	10	withdrawn	Romania	2013-12-25	2014-04-13 16:22:00	1357	17.938	{"site": {"lat": 60.08, "lon": 33.84, "elevation_m": null}, "habitat": "dry grassland", "permits": ["P-1775"], "collector": "K. Þórsson"}
SV-0072	16	B-05	26	duplicate	Slovenia	2011-11-29	2014-04-22 09:20:00	4587	2.519	{"site": {"lat": 47.86, "lon": 33.31, "elevation_m": 1580}, "habitat": "dunes", "permits": ["P-6302", "P-4420"]}
SV-0073	19	B-04	30	active	Romania	\N	2014-05-14 13:12:00	3050	5.032	{"permits": ["P-8106", "P-7969"], "collector": "M. O'Brien"}
SV-0074	17	\N	16	active	France	2014-02-23	2014-06-18 05:34:00	4438	26.911	{"site": {"lat": 46.59, "lon": 34.43, "elevation_m": 2330}, "habitat": "roadside", "permits": [], "collector": "unknown party"}
SV-0075	25	\N	9	active	Norway	2012-11-14	2014-06-27 17:04:00	3728	5.870	{"habitat": "wet meadow", "permits": [], "collector": "R. Nuñez & S. Çelik"}
SV-0076	22	C-03	\N	active	Romania	\N	2014-07-22 07:54:00	2140	29.023	{"site": {"lat": 66.42, "lon": 0.39, "elevation_m": null}, "habitat": "old field", "permits": ["P-1293"], "collector": "T. \\"Seedy\\" Quill"}
SV-0077	12	B-02	2	duplicate	France	2012-09-13	2014-08-29 00:38:00	1859	3.313	{"site": {"lat": 53.11, "lon": -2.59, "elevation_m": 440}, "habitat": "wet meadow", "permits": ["P-1516"], "collector": "R. Nuñez & S. Çelik"}
SV-0078	36	D-03	2	quarantine	Slovenia	2013-05-19	2014-08-31 03:17:00	\N	18.203	{"site": {"lat": 44.49, "lon": 17.73, "elevation_m": 340}, "habitat": "wet meadow", "permits": [], "collector": "R. Nuñez & S. Çelik"}
SV-0079	18	\N	13	active	France	2014-03-09	2014-10-10 00:30:00	1480	14.232	{"site": {"lat": 59.75, "lon": 25.82, "elevation_m": 510}, "permits": ["P-9136"], "collector": "T. \\"Seedy\\" Quill"}
SV-0080	3	\N	22	active	Slovenia	2014-02-17	2014-11-07 19:25:00	4624	23.003	{"site": {"lat": 53.48, "lon": 22.51, "elevation_m": 510}, "habitat": "old field", "permits": ["P-6102"], "collector": "R. Nuñez & S. Çelik"}
SV-0081	16	B-03	10	active	Romania	2013-04-22	2014-11-15 00:11:00	5602	31.821	{"site": {"lat": 41.45, "lon": 24.96, "elevation_m": 180}, "habitat": "dunes", "permits": [], "collector": "K. Þórsson"}
SV-0082	12	A-02	11	active	Norway	2013-04-13	2014-11-29 06:25:00	2105	11.971	{"site": {"lat": 50.15, "lon": 8.97, "elevation_m": null}, "habitat": "scree", "permits": ["P-3721", "P-9963"], "collector": "K. Þórsson"}
SV-0083	22	D-10	21	withdrawn	Romania	2013-12-27	2014-12-31 02:19:00	4924	21.323	{"site": {"lat": 64.64, "lon": 33.54, "elevation_m": 790}, "habitat": "roadside", "permits": [], "collector": "K. Þórsson"}
SV-0084	11	A-03	26	active	France	2013-05-31	2015-01-15 22:21:00	3567	11.976	{"site": {"lat": 53.37, "lon": 19.87, "elevation_m": 2180}, "habitat": "wet meadow", "permits": ["P-9337"], "collector": "A. de l'Épée"}
SV-0085	15	C-10	4	active	Türkiye	2012-12-20	2015-02-12 16:55:00	1549	4.242	{"site": {"lat": 42.89, "lon": 29.35, "elevation_m": 410}, "habitat": "roadside", "permits": []}
SV-0086	49	\N	22	active	Italy	2013-09-27	2015-02-25 01:21:00	1500	9.444	{"site": {"lat": 56.13, "lon": 10.02, "elevation_m": 1190}, "habitat": "peat bog", "permits": ["P-5047"], "collector": "unknown party"}
SV-0087	13	A-05	\N	withdrawn	Romania	2013-10-30	2015-02-25 09:12:00	4753	31.283	{"site": {"lat": 58.01, "lon": 3.54, "elevation_m": 1070}, "permits": [], "collector": "T. \\"Seedy\\" Quill"}
SV-0088	14	A-10	24	active	Italy	2013-04-06	2015-03-04 21:45:00	4049	8.089	{"site": {"lat": 65.19, "lon": 21.63, "elevation_m": null}, "habitat": "old field", "permits": ["P-7136"], "collector": "T. \\"Seedy\\" Quill"}
SV-0089	8	\N	5	active	Spain	2012-10-23	2015-03-09 19:03:00	\N	13.777	{"site": {"lat": 45.05, "lon": 37.79, "elevation_m": 380}, "habitat": "roadside", "permits": [], "collector": "unknown party"}
SV-0090	52	A-09	17	quarantine	France	2014-11-14	2015-03-27 11:06:00	8243	20.773	{"site": {"lat": 42.77, "lon": 0.86, "elevation_m": null}, "habitat": "scree", "permits": ["P-5215"], "collector": "T. \\"Seedy\\" Quill"}
SV-0091	7	C-06	9	active	Türkiye	\N	2015-03-28 16:43:00	6181	10.343	{"site": {"lat": 40.35, "lon": -7.11, "elevation_m": 2380}, "habitat": "peat bog", "permits": [], "collector": "R. Nuñez & S. Çelik"}
SV-0092	6	D-03	6	active	Slovenia	2013-08-13	2015-04-28 09:55:00	2447	4.054	{"permits": [], "collector": "R. Nuñez & S. Çelik"}
SV-0093	18	C-08	2	active	Romania	2013-07-09	2015-05-03 19:13:00	2497	4.464	{"site": {"lat": 65.62, "lon": 30.37, "elevation_m": null}, "habitat": "dry grassland", "permits": [], "collector": "T. \\"Seedy\\" Quill"}
SV-0094	15	C-06	10	active	Spain	2013-03-12	2015-05-04 09:10:00	5193	1.028	{"site": {"lat": 67.52, "lon": 3.45, "elevation_m": 840}, "permits": [], "collector": "R. Nuñez & S. Çelik"}
SV-0095	12	D-03	2	quarantine	France	2014-03-22	2015-05-25 20:55:00	771	4.271	{"site": {"lat": 60.11, "lon": 1.88, "elevation_m": 0}, "habitat": "old field", "permits": [], "collector": "unknown party"}
SV-0096	21	C-09	14	active	Ireland	2015-04-25	2015-07-31 04:40:00	1529	13.603	{"site": {"lat": 58.48, "lon": -0.67, "elevation_m": null}, "habitat": "peat bog", "permits": ["P-8708"], "collector": "K. Þórsson"}
SV-0097	20	A-02	29	active	Romania	2013-12-21	2015-08-05 05:28:00	7427	4.488	{"site": {"lat": 40.06, "lon": 16.6, "elevation_m": null}, "habitat": "roadside", "permits": ["P-1681"], "collector": "A. de l'Épée"}
SV-0098	48	B-07	8	active	Türkiye	2014-05-17	2015-08-22 04:24:00	2990	1.871	{"habitat": "old field", "permits": ["P-1633"], "collector": "T. \\"Seedy\\" Quill"}
SV-0099	4	B-09	14	active	Italy	2014-02-06	2015-09-09 08:22:00	2222	7.990	{"site": {"lat": 69.79, "lon": 28.27, "elevation_m": null}, "permits": ["P-5443"]}
SV-0100	1	C-08	10	active	Slovenia	2014-03-11	2015-09-14 00:21:00	5679	14.395	{"site": {"lat": 62.72, "lon": 16.11, "elevation_m": 210}, "habitat": "dry grassland", "permits": ["P-4809", "P-9410"], "collector": "K. Þórsson"}
SV-0101	3	A-07	12	active	France	2014-12-28	2015-09-24 20:10:00	346	12.277	{"site": {"lat": 55.08, "lon": 22.16, "elevation_m": 90}, "permits": [], "collector": "A. de l'Épée"}
SV-0102	12	C-10	15	active	Slovenia	2015-03-05	2015-10-14 21:32:00	4269	10.235	{"site": {"lat": 69.47, "lon": 27.17, "elevation_m": 1240}, "habitat": "dunes", "permits": [], "collector": "R. Nuñez & S. Çelik"}
SV-0103	10	C-02	13	active	Türkiye	2014-05-08	2015-11-20 18:39:00	2701	7.757	{"habitat": "wet meadow", "permits": ["P-1488"], "collector": "A. de l'Épée"}
SV-0104	41	D-09	14	duplicate	France	2013-11-09	2015-11-27 06:04:00	519	26.217	{"site": {"lat": 60.97, "lon": 26.29, "elevation_m": null}, "habitat": "scree", "permits": ["P-7646"], "collector": "unknown party"}
SV-0105	15	\N	39	active	Romania	2013-11-22	2015-12-30 08:44:00	1935	17.440	{"site": {"lat": 43.81, "lon": 31.18, "elevation_m": null}, "habitat": "wet meadow", "permits": ["P-4851", "P-3248"], "collector": "R. Nuñez & S. Çelik"}
SV-0106	5	C-04	28	quarantine	Romania	2015-04-18	2016-01-16 03:39:00	5838	16.133	{"site": {"lat": 37.28, "lon": 5.68, "elevation_m": 840}, "permits": ["P-8035"]}
SV-0107	5	D-03	18	withdrawn	Spain	2014-01-29	2016-02-16 05:40:00	2071	8.583	{"site": {"lat": 59.71, "lon": 3.5, "elevation_m": 1870}, "habitat": "roadside", "permits": ["P-7408", "P-5725"], "collector": "K. Þórsson"}
SV-0108	3	D-01	6	duplicate	France	2014-10-09	2016-03-27 20:40:00	676	28.426	{"site": {"lat": 44.55, "lon": 4.0, "elevation_m": 1540}, "habitat": "old field", "permits": [], "collector": "R. Nuñez & S. Çelik"}
SV-0109	16	A-01	32	duplicate	Italy	2013-12-04	2016-05-06 04:39:00	1012	15.856	{"site": {"lat": 54.43, "lon": -8.71, "elevation_m": 2380}, "habitat": "dunes", "permits": [], "collector": "R. Nuñez & S. Çelik"}
SV-0110	34	B-04	22	quarantine	Türkiye	2015-10-26	2016-07-26 22:31:00	2830	0.299	{"site": {"lat": 39.73, "lon": 29.05, "elevation_m": 40}, "permits": ["P-1497"], "collector": "T. \\"Seedy\\" Quill"}
SV-0111	7	C-10	34	active	Türkiye	2014-05-10	2016-09-05 08:18:00	7911	10.288	{"site": {"lat": 53.58, "lon": 8.57, "elevation_m": 1980}, "habitat": "roadside", "permits": ["P-2093"], "collector": "A. de l'Épée"}
SV-0112	4	D-10	22	active	Norway	2014-05-25	2016-09-07 15:20:00	4169	1.494	{"site": {"lat": 63.97, "lon": -1.7, "elevation_m": null}, "habitat": "peat bog", "permits": ["P-8324"], "collector": "R. Nuñez & S. Çelik"}
SV-0113	26	\N	2	active	France	2015-12-27	2016-09-09 14:52:00	4364	17.824	{"site": {"lat": 38.43, "lon": 16.93, "elevation_m": null}, "habitat": "roadside", "permits": ["P-8161", "P-8938"], "collector": "M. O'Brien"}
SV-0114	14	C-02	7	active	Romania	2014-07-22	2016-09-15 02:33:00	6380	20.011	{"site": {"lat": 39.69, "lon": 5.14, "elevation_m": null}, "habitat": "old field", "permits": ["P-4448"], "collector": "R. Nuñez & S. Çelik"}
SV-0115	3	D-03	8	active	Türkiye	2014-09-01	2016-10-24 06:04:00	1252	13.822	{"habitat": "peat bog", "permits": ["P-9313"]}
SV-0116	21	D-09	23	duplicate	Ireland	2016-05-21	2016-10-25 13:44:00	2667	21.557	{"site": {"lat": 54.75, "lon": 24.38, "elevation_m": 2430}, "habitat": "scree", "permits": [], "collector": "K. Þórsson"}
SV-0117	7	D-04	3	active	Italy	2016-02-01	2016-11-25 12:01:00	2512	13.074	{"permits": []}
SV-0118	3	A-10	10	duplicate	Romania	2015-12-07	2017-01-01 14:26:00	2679	21.784	{"site": {"lat": 51.88, "lon": 24.53, "elevation_m": 1300}, "permits": [], "collector": "M. O'Brien"}
SV-0119	6	C-04	\N	active	Ireland	2016-09-21	2017-01-31 22:40:00	5329	13.793	{"site": {"lat": 43.49, "lon": 3.97, "elevation_m": null}, "habitat": "roadside", "permits": [], "collector": "R. Nuñez & S. Çelik"}
SV-0120	14	\N	\N	active	France	2015-06-17	2017-02-15 04:59:00	6727	18.436	{"site": {"lat": 57.79, "lon": 24.01, "elevation_m": null}, "permits": ["P-3429"], "collector": "unknown party"}
SV-0121	21	C-06	1	active	Romania	2014-11-06	2017-02-19 13:20:00	1324	18.524	{"site": {"lat": 61.99, "lon": 25.5, "elevation_m": 390}, "habitat": "scree", "permits": [], "collector": "A. de l'Épée"}
SV-0122	13	D-04	6	active	Türkiye	2015-08-28	2017-03-22 18:21:00	2106	0.498	{"site": {"lat": 66.36, "lon": 5.9, "elevation_m": 1510}, "habitat": "scree", "permits": ["P-5594"], "collector": "T. \\"Seedy\\" Quill"}
SV-0123	10	B-03	27	active	Romania	2016-09-06	2017-03-26 03:42:00	564	3.858	{"habitat": "roadside", "permits": ["P-8322"], "collector": "A. de l'Épée"}
SV-0124	11	C-01	5	active	Spain	2015-04-26	2017-04-13 23:11:00	616	3.225	{"site": {"lat": 62.93, "lon": 23.1, "elevation_m": null}, "habitat": "dry grassland", "permits": [], "collector": "unknown party"}
SV-0125	30	C-05	10	active	Türkiye	\N	2017-05-30 05:51:00	1016	6.779	{"site": {"lat": 55.83, "lon": 14.61, "elevation_m": 2460}, "habitat": "scree", "permits": ["P-1339", "P-2176"], "collector": "R. Nuñez & S. Çelik"}
SV-0126	14	D-08	1	withdrawn	Slovenia	2016-04-05	2017-06-10 10:21:00	502	4.034	{"site": {"lat": 44.48, "lon": 24.37, "elevation_m": 1850}, "habitat": "old field", "permits": ["P-9721"], "collector": "T. \\"Seedy\\" Quill"}
SV-0127	14	B-09	\N	active	Ireland	2015-03-21	2017-08-17 12:36:00	\N	27.630	{"habitat": "peat bog", "permits": [], "collector": "M. O'Brien"}
SV-0128	31	A-07	4	active	Ireland	2017-05-05	2017-10-21 15:44:00	1745	17.708	{"permits": []}
SV-0129	12	\N	5	active	Romania	2016-10-28	2017-11-03 02:26:00	4186	2.274	{"site": {"lat": 62.23, "lon": 25.66, "elevation_m": 2240}, "permits": ["P-4776"], "collector": "K. Þórsson"}
SV-0130	39	D-04	8	active	France	2016-01-07	2017-12-02 07:43:00	7350	5.608	{"habitat": "dunes", "permits": [], "collector": "K. Þórsson"}
SV-0131	35	A-06	7	quarantine	France	2016-10-28	2017-12-13 19:45:00	\N	3.979	{"site": {"lat": 46.41, "lon": 10.59, "elevation_m": 300}, "habitat": "dunes", "permits": ["P-6845", "P-7925"], "collector": "K. Þórsson"}
SV-0132	23	C-07	18	duplicate	Türkiye	\N	2018-04-07 02:38:00	4547	23.096	{"site": {"lat": 46.9, "lon": 35.61, "elevation_m": 640}, "habitat": "old field", "permits": [], "collector": "A. de l'Épée"}
SV-0133	12	B-08	17	active	Italy	2017-08-26	2018-04-07 08:31:00	249	16.012	{"site": {"lat": 49.86, "lon": 24.34, "elevation_m": null}, "habitat": "old field", "permits": [], "collector": "unknown party"}
SV-0134	27	B-08	35	active	Italy	2017-09-26	2018-04-17 02:26:00	941	12.058	{"site": {"lat": 69.6, "lon": 34.69, "elevation_m": 320}, "permits": ["P-7090"], "collector": "T. \\"Seedy\\" Quill"}
SV-0135	18	A-04	23	active	Spain	2018-01-28	2018-05-14 01:09:00	701	4.501	{"site": {"lat": 46.93, "lon": -7.47, "elevation_m": 2260}, "habitat": "wet meadow", "permits": ["P-5319"], "collector": "M. O'Brien"}
SV-0136	28	A-04	4	active	Ireland	2017-10-13	2018-05-29 22:10:00	1179	4.721	{"site": {"lat": 58.51, "lon": -7.14, "elevation_m": null}, "habitat": "scree", "permits": [], "collector": "M. O'Brien"}
SV-0137	7	A-05	1	active	Slovenia	2018-06-26	2018-09-24 05:12:00	6305	6.860	{"site": {"lat": 67.37, "lon": 19.66, "elevation_m": 520}, "permits": ["P-7687"], "collector": "R. Nuñez & S. Çelik"}
SV-0138	27	A-04	19	active	Italy	2016-07-27	2018-10-18 17:14:00	110	16.732	{"site": {"lat": 64.37, "lon": -0.89, "elevation_m": 840}, "permits": ["P-4045", "P-9803"], "collector": "T. \\"Seedy\\" Quill"}
SV-0139	20	B-02	4	quarantine	Ireland	2018-05-05	2018-10-27 16:02:00	811	5.662	{"site": {"lat": 65.66, "lon": 0.5, "elevation_m": 1200}, "habitat": "old field", "permits": ["P-3736"], "collector": "R. Nuñez & S. Çelik"}
SV-0140	16	B-02	11	active	France	2018-08-27	2019-02-14 14:17:00	4897	3.638	{"site": {"lat": 64.28, "lon": 7.35, "elevation_m": 1020}, "habitat": "wet meadow", "permits": ["P-8897", "P-1457"], "collector": "A. de l'Épée"}
SV-0141	9	B-06	32	duplicate	Slovenia	2017-05-01	2019-02-18 02:33:00	7664	9.961	{"habitat": "peat bog", "permits": [], "collector": "unknown party"}
SV-0142	5	D-02	3	active	Norway	2018-05-29	2019-03-13 01:08:00	3944	3.769	{"site": {"lat": 46.21, "lon": -4.0, "elevation_m": 2200}, "permits": ["P-7170", "P-9083"], "collector": "unknown party"}
SV-0143	31	B-06	8	active	Slovenia	2018-09-23	2019-05-11 22:58:00	799	17.899	{"site": {"lat": 60.24, "lon": 37.38, "elevation_m": null}, "permits": []}
SV-0144	32	B-04	2	active	Norway	\N	2019-05-17 00:21:00	592	31.147	{"site": {"lat": 59.71, "lon": 14.72, "elevation_m": 1150}, "permits": ["P-8235"], "collector": "K. Þórsson"}
SV-0145	21	B-08	1	active	France	2017-02-02	2019-05-17 20:04:00	1609	17.237	{"site": {"lat": 56.45, "lon": 22.54, "elevation_m": 1190}, "permits": ["P-3753"], "collector": "unknown party"}
SV-0146	6	C-08	35	active	Spain	2017-09-07	2019-08-02 05:12:00	4694	15.800	{"habitat": "peat bog", "permits": [], "collector": "unknown party"}
SV-0147	21	\N	21	active	Romania	2019-01-26	2019-08-07 11:28:00	1033	15.080	{"site": {"lat": 64.56, "lon": -4.6, "elevation_m": null}, "permits": ["P-9537"]}
SV-0148	1	D-01	1	active	France	2018-11-03	2019-08-20 14:50:00	152	0.202	{"site": {"lat": 41.87, "lon": 9.55, "elevation_m": null}, "habitat": "old field", "permits": ["P-9639", "P-2625"], "collector": "unknown party"}
SV-0149	11	A-05	38	duplicate	Romania	2018-10-27	2019-08-29 05:09:00	1528	9.358	{"site": {"lat": 52.66, "lon": 17.57, "elevation_m": 1660}, "permits": ["P-5645"], "collector": "A. de l'Épée"}
SV-0150	9	\N	16	active	Türkiye	2018-02-01	2019-10-16 18:57:00	5604	35.501	{"site": {"lat": 56.12, "lon": 2.57, "elevation_m": null}, "habitat": "roadside", "permits": ["P-9847"], "collector": "R. Nuñez & S. Çelik"}
SV-0151	29	A-02	1	active	Spain	2017-06-15	2019-10-26 00:24:00	192	22.928	{"site": {"lat": 36.12, "lon": 23.86, "elevation_m": null}, "habitat": "peat bog", "permits": [], "collector": "unknown party"}
SV-0152	27	A-07	11	active	France	2018-01-12	2019-10-28 07:45:00	1145	19.157	{"site": {"lat": 51.0, "lon": 17.6, "elevation_m": 1190}, "habitat": "dry grassland", "permits": ["P-6994"]}
SV-0153	18	\N	3	active	France	2019-08-14	2019-11-01 10:22:00	4312	0.811	{"permits": [], "collector": "T. \\"Seedy\\" Quill"}
SV-0154	28	C-09	11	active	Ireland	2018-01-11	2019-11-09 05:09:00	2236	7.173	{"habitat": "roadside", "permits": ["P-3612", "P-8291"]}
SV-0155	31	C-07	7	active	Türkiye	2017-12-29	2020-01-21 14:23:00	\N	7.749	{"habitat": "dry grassland", "permits": [], "collector": "R. Nuñez & S. Çelik"}
SV-0156	18	C-04	3	active	Spain	2017-12-14	2020-01-27 12:51:00	5783	13.818	{"site": {"lat": 45.77, "lon": 32.39, "elevation_m": null}, "habitat": "dunes", "permits": [], "collector": "R. Nuñez & S. Çelik"}
SV-0157	40	C-05	23	active	France	2019-05-06	2020-02-02 16:11:00	3280	16.013	{"site": {"lat": 67.87, "lon": 33.42, "elevation_m": 0}, "permits": ["P-7744", "P-6341"], "collector": "A. de l'Épée"}
SV-0158	15	D-07	8	active	Ireland	2018-04-29	2020-02-14 16:15:00	3828	22.878	{"habitat": "wet meadow", "permits": ["P-2843"], "collector": "unknown party"}
SV-0159	23	D-09	\N	active	Romania	2019-10-06	2020-03-11 05:10:00	3544	12.634	{"site": {"lat": 55.49, "lon": 37.35, "elevation_m": 230}, "permits": ["P-3946"]}
SV-0160	6	C-08	1	active	Spain	2019-02-23	2020-03-13 03:45:00	5067	13.865	{"site": {"lat": 59.99, "lon": -4.11, "elevation_m": 520}, "habitat": "roadside", "permits": ["P-5767"], "collector": "A. de l'Épée"}
SV-0161	10	B-04	8	quarantine	Italy	2019-06-21	2020-03-16 05:04:00	1632	3.027	{"site": {"lat": 64.17, "lon": 2.89, "elevation_m": 870}, "habitat": "roadside", "permits": ["P-6416"], "collector": "R. Nuñez & S. Çelik"}
SV-0162	3	D-01	20	active	Norway	2018-01-31	2020-03-26 17:21:00	4287	9.276	{"site": {"lat": 64.48, "lon": -4.85, "elevation_m": 1910}, "habitat": "dry grassland", "permits": [], "collector": "R. Nuñez & S. Çelik"}
SV-0163	19	C-06	20	active	Slovenia	2020-01-24	2020-04-13 08:45:00	5250	7.375	{"site": {"lat": 61.68, "lon": 14.69, "elevation_m": null}, "habitat": "roadside", "permits": [], "collector": "A. de l'Épée"}
SV-0164	40	B-02	4	withdrawn	Spain	\N	2020-05-09 17:51:00	2507	21.383	{"site": {"lat": 58.72, "lon": -3.51, "elevation_m": 670}, "permits": ["P-4577", "P-2762"], "collector": "T. \\"Seedy\\" Quill"}
SV-0165	13	D-01	2	active	Spain	2018-09-25	2020-05-17 11:42:00	\N	33.687	{"permits": ["P-2956"], "collector": "A. de l'Épée"}
SV-0166	4	A-07	7	duplicate	Spain	2019-09-19	2020-05-24 01:44:00	2031	6.397	{"site": {"lat": 61.0, "lon": 10.63, "elevation_m": 1500}, "permits": ["P-3496"], "collector": "unknown party"}
SV-0167	20	A-04	6	duplicate	Ireland	2019-12-27	2020-06-13 09:18:00	\N	3.740	{"site": {"lat": 56.88, "lon": 25.96, "elevation_m": null}, "habitat": "scree", "permits": ["P-9289"], "collector": "A. de l'Épée"}
SV-0168	8	A-05	11	active	Türkiye	2019-04-04	2020-08-21 07:44:00	354	13.365	{"permits": ["P-8690"], "collector": "R. Nuñez & S. Çelik"}
SV-0169	51	C-06	19	duplicate	France	2020-08-21	2020-09-11 00:41:00	\N	5.974	{"site": {"lat": 56.21, "lon": 13.05, "elevation_m": null}, "habitat": "wet meadow", "permits": ["P-7693", "P-8954"]}
SV-0170	28	D-09	10	active	Romania	2020-06-21	2020-12-11 03:08:00	231	10.263	{"site": {"lat": 53.97, "lon": 33.33, "elevation_m": 550}, "habitat": "peat bog", "permits": [], "collector": "T. \\"Seedy\\" Quill"}
SV-0171	14	A-04	4	duplicate	Norway	2019-11-02	2021-01-03 23:28:00	2610	10.914	{"site": {"lat": 45.17, "lon": -2.83, "elevation_m": null}, "habitat": "wet meadow", "permits": [], "collector": "A. de l'Épée"}
SV-0172	19	A-03	23	active	Norway	2020-08-11	2021-02-08 22:00:00	258	5.063	{"site": {"lat": 45.35, "lon": 16.02, "elevation_m": 70}, "habitat": "scree", "permits": ["P-5313", "P-3638"], "collector": "K. Þórsson"}
SV-0173	7	A-07	12	active	Spain	2019-08-29	2021-02-28 20:12:00	4112	19.201	{"habitat": "wet meadow", "permits": ["P-2049"], "collector": "A. de l'Épée"}
SV-0174	18	D-06	32	quarantine	Slovenia	2019-01-22	2021-03-12 11:26:00	4328	9.695	{"site": {"lat": 46.06, "lon": 22.55, "elevation_m": 1470}, "habitat": "old field", "permits": ["P-3461"], "collector": "R. Nuñez & S. Çelik"}
SV-0175	3	B-09	1	duplicate	Slovenia	2020-05-28	2021-03-19 23:12:00	7325	10.362	{"site": {"lat": 60.97, "lon": -8.68, "elevation_m": null}, "habitat": "dunes", "permits": [], "collector": "T. \\"Seedy\\" Quill"}
SV-0176	24	\N	8	active	Ireland	2021-03-26	2021-04-22 16:51:00	422	12.654	{"habitat": "dry grassland", "permits": [], "collector": "M. O'Brien"}
SV-0177	21	D-04	10	quarantine	France	2020-07-18	2021-04-26 03:52:00	2249	20.531	{"site": {"lat": 42.15, "lon": 24.9, "elevation_m": 1770}, "permits": [], "collector": "M. O'Brien"}
SV-0178	3	D-01	17	active	Norway	2019-06-30	2021-06-06 16:46:00	200	0.992	{"habitat": "old field", "permits": ["P-4534", "P-4227"]}
SV-0179	17	A-04	1	withdrawn	Slovenia	2020-09-13	2021-07-28 03:08:00	5334	9.743	{"site": {"lat": 63.86, "lon": 2.47, "elevation_m": 1230}, "habitat": "scree", "permits": ["P-8580"], "collector": "K. Þórsson"}
SV-0180	5	C-10	5	active	France	2021-02-17	2021-08-02 18:02:00	994	31.403	{"site": {"lat": 46.23, "lon": -7.7, "elevation_m": 2410}, "habitat": "wet meadow", "permits": ["P-5055"], "collector": "A. de l'Épée"}
SV-0181	13	A-09	19	active	France	2019-10-13	2021-09-10 18:15:00	3621	8.056	{"site": {"lat": 52.57, "lon": 33.17, "elevation_m": null}, "habitat": "peat bog", "permits": [], "collector": "A. de l'Épée"}
SV-0182	10	B-04	28	active	Italy	2019-09-02	2021-10-31 14:41:00	2564	8.499	{"habitat": "dry grassland", "permits": ["P-4028"], "collector": "K. Þórsson"}
SV-0183	3	B-05	17	active	Ireland	2020-03-26	2021-11-01 02:48:00	625	10.645	{"site": {"lat": 68.94, "lon": 20.87, "elevation_m": 800}, "permits": ["P-2407", "P-5766"], "collector": "unknown party"}
SV-0184	48	A-06	2	quarantine	Romania	2020-03-17	2021-11-27 16:15:00	2167	11.233	{"site": {"lat": 67.18, "lon": 25.03, "elevation_m": null}, "habitat": "roadside", "permits": [], "collector": "M. O'Brien"}
SV-0185	35	A-01	38	active	Türkiye	\N	2021-11-30 00:09:00	4317	20.948	{"site": {"lat": 56.05, "lon": 22.03, "elevation_m": 1020}, "habitat": "wet meadow", "permits": [], "collector": "T. \\"Seedy\\" Quill"}
SV-0186	30	\N	1	active	Slovenia	2020-10-25	2021-11-30 06:36:00	1212	28.728	{"site": {"lat": 44.18, "lon": 16.71, "elevation_m": 420}, "permits": ["P-6630"], "collector": "unknown party"}
SV-0187	28	C-08	9	withdrawn	Italy	2019-11-30	2022-01-16 12:33:00	1880	6.943	{"permits": ["P-3722"], "collector": "unknown party"}
SV-0188	10	D-10	\N	active	Spain	2020-12-30	2022-02-21 13:16:00	2718	24.976	{"habitat": "old field", "permits": [], "collector": "T. \\"Seedy\\" Quill"}
SV-0189	7	D-07	15	active	Slovenia	2020-06-11	2022-03-18 19:12:00	\N	24.431	{"habitat": "wet meadow", "permits": []}
SV-0190	21	C-04	8	active	Türkiye	2022-02-15	2022-04-07 02:29:00	2735	0.511	{"site": {"lat": 60.13, "lon": 16.67, "elevation_m": 70}, "habitat": "wet meadow", "permits": ["P-7428", "P-2267"], "collector": "unknown party"}
SV-0191	27	C-03	12	active	Spain	2019-12-09	2022-04-12 10:17:00	318	7.519	{"site": {"lat": 43.41, "lon": 26.21, "elevation_m": null}, "permits": [], "collector": "A. de l'Épée"}
SV-0192	44	B-07	3	duplicate	Spain	2021-05-01	2022-04-26 20:47:00	2771	6.832	{"habitat": "wet meadow", "permits": ["P-7413"], "collector": "unknown party"}
SV-0193	11	D-06	18	duplicate	Türkiye	\N	2022-05-01 10:22:00	385	5.661	{"habitat": "old field", "permits": ["P-3788", "P-8257"], "collector": "M. O'Brien"}
SV-0194	29	\N	29	active	Ireland	2020-02-12	2022-05-24 02:43:00	\N	5.891	{"site": {"lat": 52.32, "lon": 25.41, "elevation_m": 2010}, "habitat": "scree", "permits": ["P-7134", "P-1753"], "collector": "R. Nuñez & S. Çelik"}
SV-0195	8	D-01	7	active	Norway	2021-01-21	2022-06-08 17:39:00	474	6.628	{"site": {"lat": 55.86, "lon": 30.7, "elevation_m": 1920}, "habitat": "dry grassland", "permits": ["P-1647"], "collector": "K. Þórsson"}
SV-0196	5	B-02	23	withdrawn	Norway	2021-08-03	2022-06-10 01:35:00	3518	19.977	{"site": {"lat": 43.33, "lon": 18.19, "elevation_m": 560}, "permits": ["P-1052", "P-4288"], "collector": "R. Nuñez & S. Çelik"}
SV-0197	42	C-06	3	active	Türkiye	2021-10-15	2022-07-04 02:56:00	1953	14.551	{"site": {"lat": 46.32, "lon": 25.73, "elevation_m": 360}, "permits": ["P-3078"], "collector": "T. \\"Seedy\\" Quill"}
SV-0198	1	\N	1	active	France	2022-04-15	2022-07-20 21:52:00	7756	30.073	{"site": {"lat": 56.04, "lon": 26.8, "elevation_m": 1180}, "habitat": "dry grassland", "permits": ["P-7641"], "collector": "unknown party"}
SV-0199	23	B-06	1	active	Norway	2021-08-30	2022-09-01 14:36:00	\N	0.251	{"site": {"lat": 66.5, "lon": 30.88, "elevation_m": null}, "permits": ["P-2426"], "collector": "T. \\"Seedy\\" Quill"}
SV-0200	35	C-05	5	active	Ireland	2021-06-23	2022-09-29 05:01:00	4138	4.115	{"site": {"lat": 57.37, "lon": -0.54, "elevation_m": 2560}, "habitat": "dry grassland", "permits": []}
SV-0201	10	A-09	21	active	Spain	2022-03-03	2022-10-31 03:14:00	1463	2.505	{"site": {"lat": 52.7, "lon": 23.32, "elevation_m": 1130}, "habitat": "dry grassland", "permits": ["P-4229"], "collector": "K. Þórsson"}
SV-0202	17	D-03	1	duplicate	Norway	2021-04-18	2023-03-02 02:46:00	52	9.625	{"site": {"lat": 48.56, "lon": 25.37, "elevation_m": 150}, "permits": [], "collector": "M. O'Brien"}
SV-0203	11	A-07	25	active	Slovenia	2023-01-05	2023-04-05 03:36:00	4942	1.504	{"site": {"lat": 63.17, "lon": 36.48, "elevation_m": null}, "habitat": "roadside", "permits": ["P-7737"], "collector": "R. Nuñez & S. Çelik"}
SV-0204	6	A-06	2	active	Romania	2023-03-05	2023-04-08 18:46:00	3893	27.810	{"site": {"lat": 52.38, "lon": 29.73, "elevation_m": 2140}, "permits": [], "collector": "unknown party"}
SV-0205	5	D-01	18	active	Ireland	2022-03-30	2023-04-23 12:57:00	3935	10.445	{"site": {"lat": 67.78, "lon": 1.91, "elevation_m": 990}, "habitat": "dry grassland", "permits": [], "collector": "K. Þórsson"}
SV-0206	44	D-01	1	active	Norway	2021-10-14	2023-04-28 07:35:00	\N	11.929	{"site": {"lat": 57.59, "lon": 9.92, "elevation_m": 2330}, "permits": ["P-2409"], "collector": "A. de l'Épée"}
SV-0207	20	A-05	20	active	Italy	\N	2023-05-13 20:24:00	2117	41.063	{"site": {"lat": 56.15, "lon": 13.58, "elevation_m": 1990}, "habitat": "scree", "permits": ["P-5183"], "collector": "K. Þórsson"}
SV-0208	50	\N	19	duplicate	France	\N	2023-05-23 09:27:00	2836	24.115	{"permits": [], "collector": "M. O'Brien"}
SV-0209	8	B-10	18	active	Türkiye	2022-03-18	2023-05-26 19:59:00	2836	25.626	{"site": {"lat": 37.94, "lon": 36.8, "elevation_m": null}, "permits": ["P-3000"], "collector": "K. Þórsson"}
SV-0210	20	B-05	3	withdrawn	Slovenia	2021-07-14	2023-06-30 13:10:00	2500	13.003	{"site": {"lat": 39.98, "lon": 4.55, "elevation_m": null}, "habitat": "dry grassland", "permits": ["P-3557", "P-6531"], "collector": "R. Nuñez & S. Çelik"}
SV-0211	20	A-08	14	active	Ireland	2022-10-28	2023-08-09 22:03:00	6536	21.402	{"site": {"lat": 66.18, "lon": -3.4, "elevation_m": 2400}, "habitat": "peat bog", "permits": ["P-5196", "P-6101"], "collector": "R. Nuñez & S. Çelik"}
SV-0212	14	A-07	16	active	France	2022-07-20	2023-08-16 00:23:00	2386	17.857	{"site": {"lat": 53.57, "lon": -7.64, "elevation_m": 810}, "habitat": "peat bog", "permits": ["P-8800"], "collector": "unknown party"}
SV-0213	3	B-03	15	active	France	2022-11-10	2023-08-18 05:08:00	4769	7.294	{"habitat": "wet meadow", "permits": ["P-3670", "P-6937"], "collector": "K. Þórsson"}
SV-0214	6	C-03	1	active	Ireland	2023-07-26	2023-08-30 03:03:00	8101	10.380	{"site": {"lat": 62.99, "lon": 14.42, "elevation_m": null}, "habitat": "peat bog", "permits": [], "collector": "R. Nuñez & S. Çelik"}
SV-0215	45	D-03	20	duplicate	Ireland	2021-08-03	2023-09-08 17:06:00	3055	22.556	{"site": {"lat": 69.24, "lon": 18.14, "elevation_m": 40}, "habitat": "wet meadow", "permits": ["P-3537"]}
SV-0216	4	D-01	13	duplicate	Spain	\N	2023-09-27 01:05:00	382	11.929	{"site": {"lat": 52.77, "lon": 10.24, "elevation_m": null}, "habitat": "dunes", "permits": ["P-3588"], "collector": "M. O'Brien"}
SV-0217	1	A-07	39	withdrawn	Italy	2021-08-13	2023-11-08 04:53:00	1205	30.617	{"permits": ["P-7726"], "collector": "unknown party"}
SV-0218	19	A-07	21	active	Romania	\N	2023-11-10 15:32:00	\N	30.427	{"site": {"lat": 57.82, "lon": 4.09, "elevation_m": null}, "habitat": "old field", "permits": ["P-5445"], "collector": "A. de l'Épée"}
SV-0219	20	B-06	21	active	Türkiye	2021-06-16	2023-11-11 20:07:00	4345	2.213	{"site": {"lat": 56.83, "lon": 20.54, "elevation_m": 940}, "habitat": "dry grassland", "permits": ["P-3885"], "collector": "R. Nuñez & S. Çelik"}
SV-0220	9	\N	33	active	Ireland	2023-03-13	2023-11-15 08:20:00	340	15.749	{"site": {"lat": 57.38, "lon": -1.14, "elevation_m": null}, "permits": ["P-6248"]}
SV-0221	34	C-10	11	active	Ireland	\N	2024-03-04 04:44:00	6662	21.322	{"site": {"lat": 40.06, "lon": 6.18, "elevation_m": 20}, "habitat": "dry grassland", "permits": ["P-3858"], "collector": "unknown party"}
SV-0222	3	C-02	22	withdrawn	Türkiye	2022-05-10	2024-05-20 20:35:00	2430	20.548	{"site": {"lat": 58.48, "lon": 12.61, "elevation_m": 210}, "habitat": "scree", "permits": [], "collector": "T. \\"Seedy\\" Quill"}
SV-0223	17	\N	4	duplicate	France	\N	2024-08-18 07:48:00	827	28.966	{"habitat": "scree", "permits": []}
SV-0224	9	D-07	15	active	Slovenia	2022-09-27	2024-10-12 17:54:00	1801	20.871	{"site": {"lat": 39.88, "lon": 3.07, "elevation_m": null}, "habitat": "old field", "permits": ["P-7404"], "collector": "T. \\"Seedy\\" Quill"}
SV-0225	31	D-07	23	active	Italy	\N	2024-10-23 04:11:00	\N	25.013	{"habitat": "dunes", "permits": ["P-7731"]}
SV-0226	10	A-07	8	active	Ireland	2024-03-24	2024-12-18 16:17:00	1163	25.507	{"site": {"lat": 45.81, "lon": 24.85, "elevation_m": 2350}, "habitat": "peat bog", "permits": [], "collector": "R. Nuñez & S. Çelik"}
SV-0227	33	C-09	12	active	Ireland	2024-09-14	2024-12-27 01:48:00	\N	0.828	{"site": {"lat": 64.69, "lon": -3.74, "elevation_m": 220}, "habitat": "wet meadow", "permits": [], "collector": "M. O'Brien"}
SV-0228	14	\N	7	active	Slovenia	2024-03-27	2025-01-02 03:32:00	6270	7.898	{"site": {"lat": 57.67, "lon": 12.44, "elevation_m": 2180}, "habitat": "peat bog", "permits": ["P-5603", "P-2209"], "collector": "T. \\"Seedy\\" Quill"}
SV-0229	19	C-10	4	active	France	2023-09-07	2025-02-12 21:19:00	3809	0.997	{"site": {"lat": 67.91, "lon": 30.07, "elevation_m": null}, "permits": ["P-6771", "P-7259"], "collector": "T. \\"Seedy\\" Quill"}
SV-0230	4	C-09	2	active	Norway	2024-09-25	2025-03-31 08:26:00	3597	12.076	{"site": {"lat": 54.02, "lon": 35.22, "elevation_m": 1450}, "permits": ["P-2609"], "collector": "unknown party"}
\.


--
-- Name: accessions accessions_pkey; Type: CONSTRAINT; Schema: public; Owner: root
--

ALTER TABLE ONLY public.accessions
    ADD CONSTRAINT accessions_pkey PRIMARY KEY (accession_no);


--
-- Name: accessions_species_id_idx; Type: INDEX; Schema: public; Owner: root
--

CREATE INDEX accessions_species_id_idx ON public.accessions USING btree (species_id);


--
-- Name: accessions_passport_idx; Type: INDEX; Schema: public; Owner: root
--

CREATE INDEX accessions_passport_idx ON public.accessions USING gin (passport);


--
-- Name: accessions accessions_species_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: root
--

ALTER TABLE ONLY public.accessions
    ADD CONSTRAINT accessions_species_id_fkey FOREIGN KEY (species_id) REFERENCES public.species(species_id);


--
-- Name: accessions accessions_vault_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: root
--

ALTER TABLE ONLY public.accessions
    ADD CONSTRAINT accessions_vault_id_fkey FOREIGN KEY (vault_id) REFERENCES public.vaults(vault_id);


--
-- Name: accessions accessions_curator_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: root
--

ALTER TABLE ONLY public.accessions
    ADD CONSTRAINT accessions_curator_id_fkey FOREIGN KEY (curator_id) REFERENCES public.curators(curator_id);


--
-- PostgreSQL database dump complete
--
